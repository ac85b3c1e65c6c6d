"""`read_tree`: all commands of zot with their flags and arguments, from their parsers."""

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import Literal, TypeAlias

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.args import build_parser
from zot_provider.providers import PROVIDERS
from zot_provider.record import Record, field

Value: TypeAlias = Literal["none", "words", "file", "folder", "text"]
"""The word after a flag, or an argument of a command: nothing, one of a few words, a path, anything else."""

_PATHS: dict[str, Value] = {"DIR": "folder", "FILE": "file", "PATH": "file", "[PATH]": "file"}
"""The values that a placeholder in the help means."""


class FlagNode(Record):
    """A flag: its names, its help, what follows it."""

    names: list[str]
    help: str
    value: Value = "none"
    words: list[str] = field(default_factory=list)


class CommandNode(Record):
    """A command, such as `zot config set`: the commands below it with their help, its flags, its arguments."""

    path: str
    commands: dict[str, str] = field(default_factory=dict)
    flags: list[FlagNode] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    files: bool = False


def read_tree() -> list[CommandNode]:
    """Return all commands, each before those below it; the first one is `zot`."""
    [root] = _nodes(build_parser(), "zot")
    root.commands, root.files = {name: each.help for name, each in SUBCOMMANDS.items()}, True
    found = [root]
    for name, each in SUBCOMMANDS.items():
        nodes = [*_nodes(import_module(each.module).build_parser(), f"zot {name}")]
        if each.options:
            nodes[0].flags += [flag for flag in root.flags if flag.names != nodes[0].flags[0].names]  # --help
        found += nodes
    return found


def _nodes(parser: argparse.ArgumentParser, path: str) -> Iterator[CommandNode]:
    node, below = CommandNode(path), []
    for action in parser._actions:
        value, words = _value(action)
        if isinstance(action, argparse._SubParsersAction):
            node.commands = {each.dest: each.help or "" for each in action._choices_actions}
            below += [_nodes(each, f"{path} {name}") for name, each in action.choices.items()]
        elif action.option_strings and action.help != argparse.SUPPRESS:
            node.flags.append(FlagNode(list(action.option_strings), action.help or "", value, words))
        elif not action.option_strings:
            node.words += words
            node.files = node.files or value in ("file", "folder")
    yield node
    for each in below:
        yield from each


def _value(action: argparse.Action) -> tuple[Value, list[str]]:
    if action.dest == "provider":
        return "words", [provider.id for provider in PROVIDERS]
    if action.nargs == 0:
        return "none", []
    if action.choices is not None:
        return "words", [str(each) for each in action.choices]
    return _PATHS.get(str(action.metavar), "text"), []
