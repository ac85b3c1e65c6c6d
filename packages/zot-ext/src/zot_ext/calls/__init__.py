"""What an extension asks the host for: dialogs, the session, messages, the agent, a model."""
