"""What an unknown file is, and which evaluation its columns fit."""
