"""Predicted against human preferences: which of two responses is better, on several criteria, and why."""
