"""`build_distributions`: wheels and source archives of this checkout, built once for all processes of a test run."""

import fcntl
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def build_distributions(factory: pytest.TempPathFactory, uv: str, installer_environment: Mapping[str, str]) -> Path:
    """Return the folder of the archives. The first process of the run builds them, the others wait for it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "distributions"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_suffix(".part")
            build = [uv, "build", "--quiet", "--all-packages", "--out-dir", str(part)]
            subprocess.run(build, cwd=ROOT, env=os.environ | installer_environment, check=True, timeout=3 * PATIENCE)
            part.rename(folder)
    return folder
