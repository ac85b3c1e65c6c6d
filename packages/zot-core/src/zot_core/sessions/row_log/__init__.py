"""Where the rows of a session are kept: `RowLog`, and the file, which is the usual place."""
