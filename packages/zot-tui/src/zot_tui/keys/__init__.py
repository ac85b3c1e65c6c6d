"""Key names, key bindings, and the keys that a terminal can report."""
