"""Options of functions and commands: what one can be, how a class declares it, and those that several classes share."""
