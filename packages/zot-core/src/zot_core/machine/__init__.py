"""The machine that an agent works on: files, shell, processes."""
