"""The terminal: input, output, signals, clipboard."""
