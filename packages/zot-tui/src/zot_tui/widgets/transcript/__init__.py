"""The transcript: cells and how they scroll."""
