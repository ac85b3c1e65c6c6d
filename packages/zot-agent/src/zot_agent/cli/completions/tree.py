"""The commands of zot with their flags and arguments, from `commands.json`, which `make generate` writes."""

import json
import os
from typing import Literal, TypeAlias

from zot_agent.cli import SUBCOMMANDS
from zot_provider.record import Record, field

Value: TypeAlias = Literal["none", "words", "file", "folder", "text"]
"""The word after a flag, or an argument of a command: nothing, one of a few words, a path, anything else."""


class FlagNode(Record):
    """A flag: its names, its help, what follows it."""

    names: list[str]
    help: str
    value: Value = "none"
    words: list[str] = field(default_factory=list)


class CommandNode(Record):
    """A command, such as `zot config set`: the placeholders of its arguments, the commands below it with their help,
    its flags, the words that can be its arguments, and whether files can."""

    path: str
    arguments: str = ""
    commands: dict[str, str] = field(default_factory=dict)
    flags: list[FlagNode] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    files: bool = False


def read_tree() -> list[CommandNode]:
    """Return all commands, each before those below it; the first one is `zot`."""
    with open(os.path.join(os.path.dirname(__file__), "commands.json"), encoding="utf-8") as file:
        found = [CommandNode(**row | {"flags": [FlagNode(*flag) for flag in row["flags"]]}) for row in json.load(file)]
    for node in found[1:]:
        command = SUBCOMMANDS.get(node.path.removeprefix("zot "))
        if command is not None and command.options:
            node.flags += found[0].flags[1:]  # but for --help
    return found
