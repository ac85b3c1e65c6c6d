"""Widgets on urwid. They draw rows of styled runs, know no agents, decide nothing, and tell of keys by calling back."""
