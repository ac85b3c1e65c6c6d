"""Dialogs: questions, pickers, panels, and the stack that shows them."""
