"""How far people agree with one another, where nothing says who is right."""
