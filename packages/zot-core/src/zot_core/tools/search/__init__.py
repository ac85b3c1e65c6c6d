"""Search in a file tree: walk, glob patterns, ignore files, matching lines."""
