"""The registry of slash commands. Each module named here lists its own in `COMMANDS`, beside their functions."""

import json
import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zot_agent.ui.commands.base import SlashCommand

SECTIONS = {
    "conversation": ("conversation", "session.tree", "context", "session.exchange", "session.timeline"),
    "sessions": ("session.stored_sessions",),
    "model": ("model", "accounts"),
    "agents and jobs": ("agents", "swarm", "jobs"),
    "zot": ("help", "settings", "screen", "skills", "extensions"),
}
"""In the order in which `/` and the help list their commands. The first screen does not need the modules: they are
imported later."""

MODULES = tuple(f"{__name__}.{name}" for names in SECTIONS.values() for name in names)

ELSEWHERE = {
    "mcp": "no MCP server is set up; zot mcp add NAME ... adds one, and the next start has /mcp",
    "resume": "/sessions lists the sessions; zot -c continues the last one of this directory",
    "cost": "the status row has the cost; /session timeline has that of each prompt",
    "config": "/settings shows and changes the settings",
    "quit": "/exit quits zot",
}
"""Advice for commands that exist only when something is set up, or that other programs have."""


with open(os.path.join(os.path.dirname(__file__), "keys.json"), encoding="utf-8") as _file:
    KEYS: dict[str, tuple[str, list[str]]] = json.load(_file)
"""The help and the keys of each command by its name, which `make generate` writes, for what does not need the modules
of commands, such as the first screen. Extensions cannot give these names to their commands."""


@cache
def command_sections() -> "dict[str, list[SlashCommand]]":
    """Return the screen's slash commands by the titles of their sections."""
    return {
        title: [command for name in names for command in import_module(f"{__name__}.{name}").COMMANDS]
        for title, names in SECTIONS.items()
    }


@cache
def slash_commands() -> "dict[str, SlashCommand]":
    """Return the screen's slash commands by name."""
    return {command.name: command for commands in command_sections().values() for command in commands}
