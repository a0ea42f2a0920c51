"""What one evaluation alone has in the explorer, in a module of its name; see `karat.app.own`."""
