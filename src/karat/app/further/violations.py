"""Checkers: what outcomes are called."""

OUTCOMES = {"false_negative": "Missed", "false_positive": "Invented", "true_positive": "Matched"}
