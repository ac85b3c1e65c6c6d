"""The screen for a person without a key."""
