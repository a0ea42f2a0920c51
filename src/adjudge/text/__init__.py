"""Functions of strings: matching, counting and normalization."""
