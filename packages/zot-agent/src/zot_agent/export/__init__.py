"""Sessions as files for people: the formats, by the suffix of the file, and the HTML page."""
