"""Programs that settings and other files name, and that are no extensions: hooks, and what a project declares."""
