"""Sessions: conversations on disk, one JSON row a line."""
