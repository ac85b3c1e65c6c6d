"""`zot local setup|status`: installs and checks the demo model."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.local.server import engine_installed, load_engine, require_engine
from zot_agent.local.weights import DEMO, fetch_weights, find_weights


def build_parser() -> Parser:
    parser = Parser(
        prog="zot local",
        description="Set up a small demo model that runs inside zot, without a key or a server. Use it with "
        "zot --provider local.",
        epilog="exit codes: 0 ready, 1 not ready or failed, 2 usage, missing extra or no installer",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="setup|status", required=True)
    verbs.add_parser("setup", help=f"download the demo model's weights once ({DEMO.megabytes} MB)")
    verbs.add_parser("status", help="show what is installed and what is missing")
    return parser


@subcommand(stopped="stopped; the partial download was deleted")
def run(arguments: Sequence[str]) -> int:
    """Run `zot local` with `arguments` (those after `local`) and return the exit code."""
    verb = build_parser().parse_args(list(arguments)).verb
    return _setup() if verb == "setup" else _status()


def _setup() -> int:
    if engine_installed():
        load_engine()  # before a long download that would be of no use
    existing = find_weights(DEMO)
    path = existing or fetch_weights(DEMO, print_line)
    print_line(f"the demo model's weights {'were already' if existing else 'are now'} at {path}")
    require_engine()  # last, because the extra may be installed after the weights
    return 0


def _status() -> int:
    weights = find_weights(DEMO)
    size = f" ({-(-os.path.getsize(weights) // 1_000_000)} MB)" if weights else ""
    print_line(f"engine:  {'installed' if engine_installed() else 'missing; install zot-agent[local]'}")
    print_line(f"weights: {weights + size if weights else 'missing; run zot local setup'}")
    return 0 if weights and engine_installed() else 1
