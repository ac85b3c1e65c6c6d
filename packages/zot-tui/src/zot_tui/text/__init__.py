"""Text in cells: width, wrapping, colours, fuzzy matching. No module here imports urwid."""
