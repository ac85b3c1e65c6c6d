"""Search in a file tree: walk, patterns, ignore files, lines."""
