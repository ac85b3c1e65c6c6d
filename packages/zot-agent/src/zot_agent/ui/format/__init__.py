"""Values as words for the screen."""
