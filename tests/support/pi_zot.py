"""`pi_environment`: what `zot` needs to run extensions written for pi, from the modules that `make setup` installs."""

import os
from collections.abc import Mapping
from pathlib import Path

from declared import declared


def examples() -> Path:
    """The folder of the examples that pi ships."""
    return declared("pi") / "@earendil-works" / "pi-coding-agent" / "examples" / "extensions"


def pi_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return the variables `base` with a Node that is new enough, and with the modules of the bridge."""
    modules = declared("pi")
    node = next(modules.glob("node-*/bin"))
    path = os.pathsep.join([str(node), base["PATH"]])
    return {
        **base,
        "PATH": path,
        "ZOT_PI_MODULES": str(modules.parent),
        "ZOT_PI_CACHE": str(modules / ".cache"),
    }
