"""Scorers of answers: each says whether an answer is correct, refuses, and speaks of an error in the documents."""
