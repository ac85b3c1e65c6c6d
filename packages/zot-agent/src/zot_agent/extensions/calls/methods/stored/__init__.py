"""Methods for what is stored: sessions, values, secrets."""
