"""The `zot` program. It starts in `zot_agent.entry`; to embed an agent, use `zot_core`."""
