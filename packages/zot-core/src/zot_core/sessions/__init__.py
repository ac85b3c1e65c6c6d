"""Sessions: conversations stored as files of JSON rows, one a line."""
