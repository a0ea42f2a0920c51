"""May a judge stand in for people? All that bears on it, on one page."""
