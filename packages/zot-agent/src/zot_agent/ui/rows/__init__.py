"""Rows around the editor."""
