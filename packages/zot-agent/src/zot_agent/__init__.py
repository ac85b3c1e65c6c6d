"""The `zot` program. `zot_agent.entry` is where it starts; embedders want `zot_core`."""
