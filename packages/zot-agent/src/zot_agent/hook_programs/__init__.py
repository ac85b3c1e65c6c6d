"""Programs that the settings name for events and intercepts of extensions; nothing of it is imported without any."""
