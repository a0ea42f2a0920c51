"""Asking language models: what is asked, what came back, and what became of each question."""
