"""Annotators: what outcomes are called."""

OUTCOMES = {"flagged": "Choice flagged", "both": "Flagged by both", "neither": "Flagged by neither"}
