"""Models' answers from documents that are noisy, insufficient, scattered or false, against true answers."""
