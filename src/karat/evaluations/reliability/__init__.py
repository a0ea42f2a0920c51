"""How far each annotator agrees with a trusted one: flags first, then the choice."""
