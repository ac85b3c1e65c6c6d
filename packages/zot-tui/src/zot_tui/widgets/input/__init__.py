"""The prompt editor and its completion list."""
