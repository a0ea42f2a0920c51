"""Predicted preferences against people's: which of two responses is better, on several criteria, and why."""
