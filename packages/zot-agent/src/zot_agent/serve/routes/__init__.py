"""The HTTP endpoints that are not about sessions: accounts, stored sessions, settings."""
