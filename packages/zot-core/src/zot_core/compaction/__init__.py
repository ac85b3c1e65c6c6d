"""Compaction: a long conversation replaced by a summary of it and its last messages.

`Compactor` does it when told to, and by itself where `attach` has put it on the hooks of an agent.
"""
