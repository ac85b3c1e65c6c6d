"""The input line without its drawing: a text buffer with its kill ring and undo, what keys do in it, completion."""
