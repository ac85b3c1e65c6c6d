"""The flows of a sign-in: in the browser, with a code, and with a form for a key."""
