"""The vi mode of the editor; pure."""
