"""The agents that can work on the tasks, a module each, by name. `make_agent(model)` of a module returns one."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runner import Agent

NAMES = ("zot", "claude", "codex", "gemini", "opencode", "pi", "scripted")


def make_agent(name: str, model: str, variants: Sequence[str] = ()) -> "Agent":
    """The agent of a name with a model. KeyError for an unknown name; ValueError if it has no `variants`."""
    if name not in NAMES:
        raise KeyError(name)
    module = import_module(f"adapters.{name}")
    if variants and "VARIANTS" not in vars(module):
        raise ValueError(f"{name} has no variants")
    made: Agent = module.make_agent(model, variants) if variants else module.make_agent(model)
    return made
