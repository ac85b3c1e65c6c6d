"""Methods for the screen: widgets, panels, the editor, the theme and keys."""
