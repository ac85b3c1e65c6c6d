"""The input line without its drawing: text buffer, kill ring, undo, vi mode, history, completion, pasted chips."""
