"""The host of every mode: a conversation with its extensions, settings and models, built from options."""
