"""New versions of zot: which there is, and how this installation gets it."""
