"""Key names, key bindings, and which keys a terminal can report."""
