"""The swarm: agents that work beside the conversation. Each has its own session, and a process while it works."""
