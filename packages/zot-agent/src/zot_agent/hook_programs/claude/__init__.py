"""Hooks of Claude Code in zot: its settings, and the JSON that its hooks read and write.

The formats are described at https://code.claude.com/docs/en/hooks.
"""
