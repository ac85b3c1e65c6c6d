"""Methods for stored sessions, values and secrets."""
