"""The machine that an agent works on: its files, its shell, its processes."""
