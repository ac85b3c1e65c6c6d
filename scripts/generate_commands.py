"""Write `zot_agent/cli/completions/commands.json`: the commands of zot, for completions and help, which import none.

`--check` says whether it is current. Run `make generate` after changing a subcommand.
"""

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from json_lines import in_lines

import zot_agent.cli.completions
from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.args import build_parser
from zot_agent.cli.completions.tree import CommandNode, FlagNode, Value
from zot_agent.cli.verb import Verb, VerbTable
from zot_provider.providers import PROVIDERS

PATHS: dict[str, Value] = {"DIR": "folder", "FILE": "file", "PATH": "file", "SOURCE": "file", "NAME|DIR": "folder"}
"""The values that a placeholder in the help means."""


def commands() -> Iterator[CommandNode]:
    """All commands, each before those below it."""
    root = command("zot", build_parser())
    root.commands, root.files = {name: each.help for name, each in SUBCOMMANDS.items()}, True
    yield root
    for name, each in SUBCOMMANDS.items():
        found: Verb | VerbTable = import_module(each.module).run
        if isinstance(found, Verb):
            yield command(f"zot {name}", found.build_parser())
            continue
        verbs = {word: found.load(word).build_parser() for word in found.verbs}
        help = argparse.ArgumentParser()._actions
        yield CommandNode(f"zot {name}", "", {word: summary(each.description or "") for word, each in verbs.items()}, [
            FlagNode(list(action.option_strings), action.help or "") for action in help
        ])  # fmt: skip
        yield from (command(f"zot {name} {word}", each) for word, each in verbs.items())


def summary(text: str) -> str:
    """The first sentence, as a line of a list."""
    sentence = text.partition(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]


def command(path: str, parser: argparse.ArgumentParser) -> CommandNode:
    """A command that has no others below it."""
    node, placeholders = CommandNode(path), []
    for action in parser._actions:
        kind, words = value(action)
        if action.option_strings and action.help != argparse.SUPPRESS:
            text = argparse.HelpFormatter("zot")._expand_help(action)
            node.flags.append(FlagNode(list(action.option_strings), text, kind, words))
        elif not action.option_strings:
            placeholders.append(f"[{action.metavar}]" if action.nargs in ("?", "*") else str(action.metavar))
            node.words += words
            node.files = node.files or kind in ("file", "folder")
    node.arguments = " ".join(placeholders)
    return node


def value(action: argparse.Action) -> tuple[Value, list[str]]:
    """What follows a flag, or is an argument."""
    if action.dest == "provider":
        return "words", [provider.id for provider in PROVIDERS]
    if action.nargs == 0:
        return "none", []
    if action.choices is not None:
        return "words", [str(each) for each in action.choices]
    return PATHS.get(str(action.metavar), "text"), []


def fields(node: CommandNode) -> dict[str, object]:
    """A row of the file."""
    flags = [[getattr(flag, name) for name in FlagNode.__match_args__] for flag in node.flags]
    return {name: getattr(node, name) for name in CommandNode.__match_args__} | {"flags": flags}


if __name__ == "__main__":
    path = Path(zot_agent.cli.completions.__file__).with_name("commands.json")
    text = in_lines([fields(node) for node in commands()], 1)
    if "--check" not in sys.argv:
        path.write_text(text, "utf-8")
    elif path.read_text("utf-8") != text:
        sys.exit(f"{path} is not current; run make generate")
