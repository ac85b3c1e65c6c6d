"""`Parser`: an argparse parser that raises `ConfigError` instead of printing its usage and exiting; `subcommand`, which
reports such errors; and `RowTable`, for subcommands whose verbs are modules."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec

from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError, UnknownName, ZotError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

P = ParamSpec("P")


class Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line. `--help` still prints and raises `SystemExit(0)`."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see {self.prog} --help")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # `--flag=--`, of which argparse makes an empty list
            raise argparse.ArgumentError(action, "expected a value, not --")
        return super()._get_values(action, arg_strings)

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help. Raises `OSError` if it cannot be written, which argparse would ignore."""
        (file or sys.stdout).write(self.format_help())


def report_errors(work: Callable[[], int], stopped: str = "stopped") -> int:
    """Do the work of a subcommand and return its exit code: an error becomes a line and its exit code; Ctrl+C, with the
    line `stopped`, 130; `--help` 0."""
    try:
        return work()
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # behind the ^C
        print_error(stopped)
        return 130


def subcommand(stopped: str = "stopped") -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Decorate the `run` of a subcommand with `report_errors`."""

    def decorate(run: Callable[P, int]) -> Callable[P, int]:
        @wraps(run)
        def reporting(*args: P.args, **kwargs: P.kwargs) -> int:
            return report_errors(lambda: run(*args, **kwargs), stopped)

        return reporting

    return decorate


class VerbRow(NamedTuple):
    """A verb: its module, the function in it (`Sequence[str]` -> exit code), and its line in the help."""

    module: str
    arguments: str
    help: str
    function: str = "run"


VERB_ALIASES = {"rm": "remove", "ls": "list"}


class RowTable(NamedTuple):
    """The verbs of `zot NAME`, each in a module that parses its own arguments. `words` is what completions offer
    behind a verb: a placeholder such as `PATH`."""

    name: str
    about: str
    verbs: Mapping[str, VerbRow]
    note: str
    words: str

    def run(self, arguments: Sequence[str]) -> int:
        """Run a verb with the arguments behind it, or print the help, and return the exit code."""
        word = arguments[0] if arguments else "--help"
        if word in ("--help", "-h", "help"):
            sys.stdout.write(self._usage())
            return 0
        verb = self.verbs.get(VERB_ALIASES.get(word, word))
        if verb is None:
            raise UnknownName.among("command", f"{self.name} {word}", [f"{self.name} {each}" for each in self.verbs])
        function: Callable[[Sequence[str]], int] = getattr(import_module(verb.module), verb.function)
        return function(arguments[1:])

    def build_parser(self) -> Parser:
        parser = Parser(prog=self.name)
        verbs = parser.add_subparsers()
        for name, verb in self.verbs.items():
            verbs.add_parser(name, help=verb.help).add_argument("words", nargs="*", metavar=self.words)
        return parser

    def _usage(self) -> str:
        lines = [(f"  {name} {verb.arguments}".rstrip(), verb.help) for name, verb in self.verbs.items()]
        width = max(len(left) for left, _ in lines) + 2
        return (
            f"usage: {self.name} COMMAND ...\n\n{self.about}\n\n"
            "commands:\n" + "".join(f"{left.ljust(width)}{right}\n" for left, right in lines) + "\n"
            f"{self.note}See {self.name} COMMAND --help for the options of a command.\n"
        )
