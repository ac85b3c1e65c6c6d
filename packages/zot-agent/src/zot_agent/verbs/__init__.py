"""The operations, a module for each subject. Those of clients about their own screens are in `zot_agent.rpc`."""
