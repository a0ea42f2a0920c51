"""Where work on many files runs: in threads, in processes, or on the hosts of a Ray cluster. All give the same."""
