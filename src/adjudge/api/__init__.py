"""A function for each evaluation and command. Its signature declares its options, from which all else follows."""
