"""Safe reading and replacing of files."""
