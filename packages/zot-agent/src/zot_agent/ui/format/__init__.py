"""Values formatted for the screen."""
