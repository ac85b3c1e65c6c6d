"""Questions that zot asks by itself: whether a tool may run, and whether what a project brings may be used."""
