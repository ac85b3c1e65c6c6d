"""Widgets on urwid. They draw rows of styled runs, know nothing of agents, and report keys through callbacks."""
