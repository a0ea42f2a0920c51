"""Runners of work on many files: threads, processes, or the hosts of a Ray cluster. All give the same results."""
