"""What the screen asks of an extension: `completion` and `rendering` are what authors see, `handlers` answers."""
