"""Sub-agents: runs of the same family as the agent that asks for them, each with its own context."""
