"""The HTTP endpoints beside those of sessions: accounts, stored sessions, settings."""
