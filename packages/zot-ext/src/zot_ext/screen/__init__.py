"""The questions of the screen to an extension: `completion` and `rendering` are what authors see, `handlers`
answers."""
