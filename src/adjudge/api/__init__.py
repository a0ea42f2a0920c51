"""A function for each evaluation and command. Its signature says its options; from them follows all else."""
