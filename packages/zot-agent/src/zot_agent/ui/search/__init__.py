"""Search in the conversation."""
