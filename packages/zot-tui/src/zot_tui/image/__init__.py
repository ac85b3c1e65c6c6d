"""Images on the screen: how the terminal draws them, their size in cells, and the output for them.

Most of it is imported with the first image that is shown; Pillow is imported in a thread.
"""
