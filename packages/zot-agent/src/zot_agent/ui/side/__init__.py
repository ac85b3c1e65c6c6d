"""The side chat, `/btw`."""
