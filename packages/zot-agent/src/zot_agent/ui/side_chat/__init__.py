"""The side chat (`/btw`)."""
