"""Settings on the screen: what the person chooses is stored, and takes effect at once where it can."""
