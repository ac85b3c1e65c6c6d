"""Checkpoints: the files that an agent changed, as they were before and after, outside the person's repository."""
