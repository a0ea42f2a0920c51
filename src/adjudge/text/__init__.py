"""Functions of strings: what can be read off a text without asking anyone."""
