"""The commands about stored sessions and settings."""
