"""The registry of `zot ext`: `zot ext VERB ...` calls a function of a module, which returns the exit code."""

import signal
from collections.abc import Sequence
from types import FrameType

from zot_agent.cli.parser import Parser, RowTable, VerbRow, subcommand
from zot_agent.signals import handle_signals

VERBS = {
    "list": VerbRow("zot_agent.cli.ext.listing", "[--json]", "list the extensions, and which of them run"),
    "install": VerbRow("zot_agent.cli.ext.install", "SOURCE", "install from a folder, a git repository or npm"),
    "setup": VerbRow("zot_agent.cli.ext.setup", "[NAME]", "install the Python packages that extensions need"),
    "update": VerbRow("zot_agent.cli.ext.update", "[NAME]", "update extensions installed with git"),
    "remove": VerbRow("zot_agent.cli.ext.remove", "NAME", "delete an extension (also: rm)"),
    "enable": VerbRow("zot_agent.cli.ext.switch", "NAME", "let an extension run again", "enable"),
    "disable": VerbRow("zot_agent.cli.ext.switch", "NAME", "keep an extension but do not run it", "disable"),
    "logs": VerbRow("zot_agent.cli.ext.logs", "NAME [-f]", "print what an extension wrote to standard error"),
    "doctor": VerbRow("zot_agent.cli.ext.doctor", "[NAME]", "show problems, and what extensions register"),
    "check": VerbRow("zot_agent.cli.ext.check", "DIR", "test whether an extension follows the protocol"),
    "new": VerbRow("zot_agent.cli.ext.new", "NAME", "create an extension from a template"),
}
_TABLE = RowTable(
    "zot ext",
    "Manage extensions: programs that add commands and tools to zot, or guard it.",
    VERBS,
    "NAME is the name of an extension or of its folder.\n",
    "PATH",
)


class _Terminated(BaseException):
    """Raised for SIGTERM, so that `finally` blocks undo half-done work."""


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot ext` with `arguments` (those after `ext`); return 0, 1 for a finding, 2 for a mistake."""
    try:
        with handle_signals([signal.SIGTERM], _terminate):
            return _TABLE.run(arguments)
    except _Terminated:
        return 143


def build_parser() -> Parser:
    return _TABLE.build_parser()


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated
