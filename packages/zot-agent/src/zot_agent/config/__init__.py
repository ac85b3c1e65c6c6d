"""Where zot keeps its files and what the user has set."""
