"""The commands on what is stored: sessions and settings."""
