"""`zot local setup|status`: installs and checks the demo model."""

import os

from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.verb import VerbTable
from zot_agent.local.server import engine_installed, load_engine, require_engine
from zot_agent.local.weights import DEMO, fetch_weights, find_weights


def _setup() -> int:
    """Download the demo model's weights once (93 MB)."""
    if engine_installed():
        load_engine()  # before a long download that would be of no use
    existing = find_weights(DEMO)
    path = existing or fetch_weights(DEMO, print_line)
    print_line(f"the demo model's weights {'were already' if existing else 'are now'} at {path}")
    require_engine()  # last, because the extra may be installed after the weights
    return 0


def _status() -> int:
    """Show what is installed and what is missing."""
    weights = find_weights(DEMO)
    size = f" ({-(-os.path.getsize(weights) // 1_000_000)} MB)" if weights else ""
    print_line(f"engine:  {'installed' if engine_installed() else 'missing; install zot-agent[local]'}")
    print_line(f"weights: {weights + size if weights else 'missing; run zot local setup'}")
    return 0 if weights and engine_installed() else 1


run = VerbTable(
    "zot local",
    "Set up a small demo model that runs inside zot, without a key or a server. Use it with zot --provider local.",
    {"setup": _setup, "status": _status},
    "exit codes: 0 ready, 1 not ready or failed, 2 usage, missing extra or no installer.",
    needed=True,
    stopped="stopped; the partial download was deleted",
)
