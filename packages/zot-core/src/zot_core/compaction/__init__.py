"""Compaction: replace a long history with a summary and its last messages.

`Compactor.compact` does so on request; after `Compactor.attach` it also happens automatically.
"""
