"""Checkpoints: the files that an agent changed, as they were before and after, outside of the person's repository."""
