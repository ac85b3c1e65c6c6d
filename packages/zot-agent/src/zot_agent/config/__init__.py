"""The folders of zot, the user's settings, and the debug log."""
