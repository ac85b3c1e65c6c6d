"""The operations, a module for each subject. Operations of clients about their own screens are in `zot_agent.rpc`."""
