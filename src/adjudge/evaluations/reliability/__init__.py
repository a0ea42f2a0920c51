"""Agreement of each annotator with a reference: flags first, then the choice."""
