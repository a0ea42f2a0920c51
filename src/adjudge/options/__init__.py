"""Options of functions and commands: their kinds, their declaration, and the shared ones."""
