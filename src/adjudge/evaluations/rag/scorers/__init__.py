"""Scorers of answers: each decides whether an answer is correct, refuses, and mentions an error in the documents."""
