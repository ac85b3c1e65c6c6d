"""`zot local setup|status`: the demo model's weights on this machine."""

import os
import sys
from collections.abc import Sequence

from zot_agent.cli.parser import Parser
from zot_agent.local.server import engine_installed, require_engine
from zot_agent.local.weights import DEMO, fetch_weights, find_weights
from zot_agent.modes.output import print_error
from zot_provider.errors import ZotError


def build_parser() -> Parser:
    """The parser of `zot local`."""
    parser = Parser(
        prog="zot local",
        description="A small model that runs inside zot: no key, no server. Use it with zot --provider local.",
        epilog=f"exit codes: 0 ready, 1 not ready or failed, 2 usage, extra not installed, no installer. "
        f"The weights are {DEMO.megabytes} MB, fetched once.",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="setup|status", required=True)
    verbs.add_parser("setup", help=f"fetch the demo model's weights ({DEMO.megabytes} MB)")
    verbs.add_parser("status", help="say what is there and what is missing")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Do what `arguments` (after `local`) ask for; the exit code."""
    try:
        verb = build_parser().parse_args(list(arguments)).verb
        return _setup() if verb == "setup" else _status()
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        print_error("stopped; nothing was kept")
        return 130


def _setup() -> int:
    there = find_weights(DEMO)
    path = there or fetch_weights(DEMO, _say)
    _say(f"the demo model's weights {'were already' if there else 'are now'} at {path}")
    require_engine()  # last: the weights are worth having before the extra is
    return 0


def _status() -> int:
    weights = find_weights(DEMO)
    size = f" ({-(-os.path.getsize(weights) // 1_000_000)} MB)" if weights else ""
    _say(f"engine:  {'installed' if engine_installed() else 'missing; install zot-agent[local]'}")
    _say(f"weights: {weights + size if weights else 'missing; run zot local setup'}")
    return 0 if weights and engine_installed() else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
