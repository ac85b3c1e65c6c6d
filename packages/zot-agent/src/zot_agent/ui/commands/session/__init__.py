"""The slash commands about sessions and their entries."""
