"""`pi_environment`: what `zot` needs to run extensions written for pi, from the modules that `make setup` installs."""

import os
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "pi"
EXAMPLES = FOLDER / "node_modules" / "@earendil-works" / "pi-coding-agent" / "examples" / "extensions"


def pi_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return the variables `base` with a Node that is new enough, and with the modules of the bridge."""
    node = next(FOLDER.glob("node_modules/node-*/bin"))
    path = os.pathsep.join([str(node), base["PATH"]])
    return {
        **base,
        "PATH": path,
        "ZOT_PI_MODULES": str(FOLDER),
        "ZOT_PI_CACHE": str(FOLDER / "node_modules" / ".cache"),
    }
