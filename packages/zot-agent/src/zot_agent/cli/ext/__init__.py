"""The registry of what `zot ext` can do: `zot ext VERB ...` calls a function of a module, which gives the exit code."""

import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType
from typing import NamedTuple

from zot_agent.modes.output import print_error
from zot_agent.signals import handled
from zot_provider.errors import UnknownName, ZotError


class Verb(NamedTuple):
    """A verb: the module and the function in it (`Sequence[str]` -> exit code), and its line in the help."""

    module: str
    arguments: str
    help: str
    function: str = "run"


VERBS = {
    "list": Verb("zot_agent.cli.ext.listing", "[--json]", "the extensions there are, and which of them run"),
    "install": Verb("zot_agent.cli.ext.install", "PATH|GIT-URL", "copy a folder or clone a repository"),
    "update": Verb("zot_agent.cli.ext.update", "[NAME]", "bring what was cloned up to date"),
    "remove": Verb("zot_agent.cli.ext.remove", "NAME", "delete an extension (also: rm)"),
    "enable": Verb("zot_agent.cli.ext.switch", "NAME", "let an extension run again", "enable"),
    "disable": Verb("zot_agent.cli.ext.switch", "NAME", "keep an extension but do not run it", "disable"),
    "logs": Verb("zot_agent.cli.ext.logs", "NAME [-f]", "what an extension wrote to standard error"),
    "doctor": Verb("zot_agent.cli.ext.doctor", "[NAME]", "start extensions; say what they register, or why not"),
    "check": Verb("zot_agent.cli.ext.check", "DIR", "test that an extension keeps to the protocol"),
    "new": Verb("zot_agent.cli.ext.new", "NAME", "begin an extension"),
}
ALIASES = {"rm": "remove", "ls": "list"}


class _Terminated(BaseException):
    """SIGTERM, as an exception: what is half done is undone on the way out."""


def run(arguments: Sequence[str]) -> int:
    """Do what `arguments` (after `ext`) ask for; the exit code: 0, 1 for a finding, 2 for a mistake."""
    word = arguments[0] if arguments else "--help"
    if word in ("--help", "-h", "help"):
        sys.stdout.write(usage())
        return 0
    try:
        verb = VERBS.get(ALIASES.get(word, word))
        if verb is None:
            raise UnknownName.among("command", f"zot ext {word}", [f"zot ext {name}" for name in VERBS])
        function: Callable[[Sequence[str]], int] = getattr(import_module(verb.module), verb.function)
        with handled([signal.SIGTERM], _terminate):
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


def usage() -> str:
    """The help of `zot ext`, read off the registry."""
    lines = [(f"  {name} {verb.arguments}", verb.help) for name, verb in VERBS.items()]
    width = max(len(left) for left, _ in lines) + 2
    return (
        "usage: zot ext COMMAND ...\n\n"
        "Extensions: programs that add commands and tools to zot, or keep watch over it.\n\n"
        "commands:\n" + "".join(f"{left.ljust(width)}{right}\n" for left, right in lines) + "\n"
        "NAME is that of an extension or of its folder. zot ext COMMAND --help says more.\n"
    )


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated
