"""The registry of `zot ext`: `zot ext VERB ...` calls a function of a module, which returns the exit code."""

import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType
from typing import NamedTuple

from zot_agent.cli.parser import Parser
from zot_agent.signals import handle_signals
from zot_agent.standard_error import print_error
from zot_provider.errors import UnknownName, ZotError


class Verb(NamedTuple):
    """A verb: its module, the function in it (`Sequence[str]` -> exit code), and its line in the help."""

    module: str
    arguments: str
    help: str
    function: str = "run"


VERBS = {
    "list": Verb("zot_agent.cli.ext.listing", "[--json]", "list the extensions, and which of them run"),
    "install": Verb("zot_agent.cli.ext.install", "SOURCE", "install from a folder, a git repository or npm"),
    "setup": Verb("zot_agent.cli.ext.setup", "[NAME]", "install the Python packages that extensions need"),
    "update": Verb("zot_agent.cli.ext.update", "[NAME]", "update extensions installed with git"),
    "remove": Verb("zot_agent.cli.ext.remove", "NAME", "delete an extension (also: rm)"),
    "enable": Verb("zot_agent.cli.ext.switch", "NAME", "let an extension run again", "enable"),
    "disable": Verb("zot_agent.cli.ext.switch", "NAME", "keep an extension but do not run it", "disable"),
    "logs": Verb("zot_agent.cli.ext.logs", "NAME [-f]", "print what an extension wrote to standard error"),
    "doctor": Verb("zot_agent.cli.ext.doctor", "[NAME]", "show problems, and what extensions register"),
    "check": Verb("zot_agent.cli.ext.check", "DIR", "test whether an extension follows the protocol"),
    "new": Verb("zot_agent.cli.ext.new", "NAME", "create an extension from a template"),
}
ALIASES = {"rm": "remove", "ls": "list"}


class _Terminated(BaseException):
    """Raised for SIGTERM, so that `finally` blocks undo half-done work."""


def run(arguments: Sequence[str]) -> int:
    """Run `zot ext` with `arguments` (those after `ext`); return 0, 1 for a finding, 2 for a mistake."""
    word = arguments[0] if arguments else "--help"
    if word in ("--help", "-h", "help"):
        sys.stdout.write(usage())
        return 0
    try:
        verb = VERBS.get(ALIASES.get(word, word))
        if verb is None:
            raise UnknownName.among("command", f"zot ext {word}", [f"zot ext {name}" for name in VERBS])
        function: Callable[[Sequence[str]], int] = getattr(import_module(verb.module), verb.function)
        with handle_signals([signal.SIGTERM], _terminate):
            return function(arguments[1:])
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        print_error("stopped")
        return 130
    except _Terminated:
        return 143


def build_parser() -> Parser:
    """Build a parser with the names of the verbs; each verb parses its own arguments."""
    parser = Parser(prog="zot ext")
    verbs = parser.add_subparsers()
    for name, verb in VERBS.items():
        verbs.add_parser(name, help=verb.help).add_argument("path", nargs="*", metavar="PATH")
    return parser


def usage() -> str:
    """Return the help of `zot ext`, made from the registry."""
    lines = [(f"  {name} {verb.arguments}", verb.help) for name, verb in VERBS.items()]
    width = max(len(left) for left, _ in lines) + 2
    return (
        "usage: zot ext COMMAND ...\n\n"
        "Manage extensions: programs that add commands and tools to zot, or guard it.\n\n"
        "commands:\n" + "".join(f"{left.ljust(width)}{right}\n" for left, right in lines) + "\n"
        "NAME is the name of an extension or of its folder.\nSee zot ext COMMAND --help for the options of a command.\n"
    )


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated
