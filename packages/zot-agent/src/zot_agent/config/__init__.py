"""The folders of zot, the user's settings, keys and answers about folders, and the debug log."""
