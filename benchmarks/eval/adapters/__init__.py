"""The agents that can work on the tasks, a module each, by name. `make_agent(model)` of a module returns one."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runner import Agent

NAMES = ("zot", "claude", "codex", "gemini", "opencode", "pi", "scripted")


def make_agent(name: str, model: str) -> "Agent":
    """The agent of a name with a model. KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    made: Agent = import_module(f"adapters.{name}").make_agent(model)
    return made
