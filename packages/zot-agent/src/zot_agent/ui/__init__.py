"""The interactive screen: what becomes of keys, commands and events. What draws is `zot_tui`."""
