"""`zot ext VERB ...`: the extensions."""

import signal
from collections.abc import Sequence
from types import FrameType

from zot_agent.cli.verb import VerbTable
from zot_agent.signals import handle_signals


class ExtensionVerbs(VerbTable):
    """The verbs, of which each undoes half-done work in `finally` blocks after SIGTERM."""

    def run(self, arguments: Sequence[str]) -> int:
        with handle_signals([signal.SIGTERM], _terminate):
            return super().run(arguments)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(143)


run = ExtensionVerbs(
    "zot ext",
    "Manage extensions: programs that add commands and tools to zot, or guard it.",
    {
        "list": "zot_agent.cli.ext.listing:print_extensions",
        "install": "zot_agent.cli.ext.install:install",
        "setup": "zot_agent.cli.ext.setup:set_up_packages",
        "update": "zot_agent.cli.ext.update:update",
        "remove": "zot_agent.cli.ext.remove:remove",
        "enable": "zot_agent.cli.ext.switch:enable",
        "disable": "zot_agent.cli.ext.switch:disable",
        "logs": "zot_agent.cli.ext.logs:print_log",
        "doctor": "zot_agent.cli.ext.doctor:doctor",
        "check": "zot_agent.cli.ext.check:check_extension",
        "new": "zot_agent.cli.ext.new:create",
    },
    "NAME is the name of an extension, or the name or path of its folder.",
)
"""Returns 0, 1 for a finding, 2 for a mistake, 143 for SIGTERM."""
