"""The input line: a text buffer with its kill ring and undo. No module here imports urwid yet; the widget will."""
