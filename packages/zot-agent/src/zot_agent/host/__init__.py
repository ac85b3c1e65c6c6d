"""What every mode gets: a conversation with its extensions, settings and models, built from options."""
