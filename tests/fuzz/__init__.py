"""A fuzzer of every reader: `make fuzz MINUTES=10`. What it finds is kept in corpus/ and tried again by every test run."""
