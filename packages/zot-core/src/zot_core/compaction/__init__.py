"""Compaction: a long conversation replaced by a summary of it and its last messages."""
