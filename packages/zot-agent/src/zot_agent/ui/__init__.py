"""The chat screen: turns keys, commands and events into actions; `zot_tui` draws."""
