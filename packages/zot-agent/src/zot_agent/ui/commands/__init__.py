"""The registry of slash commands. Each module named here lists its own in `COMMANDS`, beside their functions."""

from collections.abc import Container
from functools import cache
from importlib import import_module

from zot_agent.ui.commands.base import SlashCommand

_NAMES = (
    "help",
    "model",
    "accounts",
    "session.stored",
    "session.timeline",
    "session.exchange",
    "conversation",
    "skills",
    "session.tree",
    "context",
    "jobs",
    "agents",
    "swarm",
    "extensions",
    "screen",
    "settings",
)
MODULES = tuple(f"{__name__}.{name}" for name in _NAMES)
"""In the order in which `/` lists their commands. The first screen does not need them: they are imported later."""


@cache
def slash_commands() -> dict[str, SlashCommand]:
    """Return the screen's slash commands by name."""
    commands = (command for module in MODULES for command in import_module(module).COMMANDS)
    return {command.name: command for command in commands}


class ReservedNames(Container[str]):
    """The names that extensions cannot give their commands. The modules are imported at the first look-up."""

    def __contains__(self, name: object) -> bool:
        return name in slash_commands()
