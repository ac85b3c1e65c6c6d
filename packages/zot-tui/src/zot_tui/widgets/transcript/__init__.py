"""The transcript: its cells and how it scrolls."""
