"""The questions of the screen to an extension: `handlers` answers them, `rendering` has what renderers use."""
