"""What a valid table of each kind is."""
