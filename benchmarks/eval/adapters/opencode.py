"""opencode, the command `opencode`."""

from runner import Agent

from adapters.plain import plain_agent


def make_agent(model: str) -> Agent:
    """`opencode run` with a model."""
    return plain_agent(["opencode", "run"], model)
