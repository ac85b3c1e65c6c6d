"""Images on the screen: which way the terminal takes them, how large they stand there, what is written for them.

Nothing here but `pixel_size` is imported before the first image is shown; Pillow is imported in a thread of its own.
"""
