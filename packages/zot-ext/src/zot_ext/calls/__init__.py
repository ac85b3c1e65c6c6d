"""The calls of an extension to the host: dialogs, the session, messages, the agent, a model."""
