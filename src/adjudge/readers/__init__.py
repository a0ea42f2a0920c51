"""File formats: each reads one kind of file into a table, and knows nothing of evaluations."""
