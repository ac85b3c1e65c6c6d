"""What a line of shell says about the result of the tool `bash`: words, no tree, because nothing is allowed by it."""
