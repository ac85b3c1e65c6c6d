"""The first-run screen, for a user without a key."""
