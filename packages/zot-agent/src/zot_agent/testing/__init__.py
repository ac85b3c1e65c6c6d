"""Partners as they are, for tests of zot and of programs around it."""
