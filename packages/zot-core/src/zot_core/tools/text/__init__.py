"""Text that tools read, cut, edit and report."""
