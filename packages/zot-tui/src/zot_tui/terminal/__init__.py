"""The terminal: screen, input, output, signals, clipboard."""
