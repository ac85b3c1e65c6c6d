"""The editor of extensions: its modes, its keys, and how its text is drawn."""
