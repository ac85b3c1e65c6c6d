"""Reads lines of shell, to understand results of the tool `bash`: words, no tree, because nothing is allowed by it."""
