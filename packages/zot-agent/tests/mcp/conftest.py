import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from calling_extension import World
from mcp_guarded import Guarded
from mcp_world import McpWorld
from python_forks import forking_python
from waiting import PATIENCE

from zot_provider.testing import SignInServer

LIBRARY = ("mcp", "mcp.client.sse", "mcp.client.streamable_http", "mcp.client.auth", "anyio._backends._asyncio")


@pytest.fixture(scope="session")
def mcp_packages(tmp_path_factory: pytest.TempPathFactory, uv: str, installer_environment: dict[str, str]) -> Path:
    """The folder `envs/mcp` of a zot home, made once for all workers."""
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "mcp-home"
    home.mkdir(exist_ok=True)
    with open(home / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [sys.executable, "-m", "zot_agent", "ext", "setup", "mcp"],
            env=os.environ | installer_environment | {"ZOT_HOME": str(home)},
            cwd=home, capture_output=True, text=True, check=False, timeout=3 * PATIENCE,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return home / "envs" / "mcp"


@pytest.fixture(scope="session")
def mcp_python(tmp_path_factory: pytest.TempPathFactory, mcp_packages: Path) -> Iterator[Path]:
    """A Python of that environment that has loaded the package `mcp`, which takes most of a second."""
    python = str(next(mcp_packages.glob("*/bin/python")))
    with forking_python(tmp_path_factory.mktemp("python"), python, LIBRARY) as program:
        yield program


@pytest.fixture
def mcp(tmp_path: Path, mcp_packages: Path, mcp_python: Path) -> McpWorld:
    """Where the servers of a test are."""
    return McpWorld(World(tmp_path), mcp_packages, mcp_python)


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    with SignInServer() as service, Guarded(service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
