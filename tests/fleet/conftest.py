"""A Postgres and a Temporal server for the tests of one process, and `zot` with a fleet."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import KEY, Zot
from fleet_servers import Postgres, Temporal, Workers, can_be_entered, postgres, temporal

from zot_provider.testing import ScriptedServer


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder that the user of Postgres can reach."""
    places = [Path(each) for each in (tempfile.gettempdir(), "/tmp", "/var/tmp") if can_be_entered(Path(each))]
    found = Path(tempfile.mkdtemp(prefix="zot-fleet-", dir=places[0] if places else None))
    found.chmod(0o755)
    yield found
    shutil.rmtree(found, ignore_errors=True)


@pytest.fixture(scope="session")
def database(folder: Path, embedded_postgres: str) -> Iterator[Postgres]:
    (folder / "postgres").mkdir()
    with postgres(folder / "postgres") as server:
        yield server


@pytest.fixture(scope="session")
def engine(folder: Path, temporal_bin: str) -> Iterator[Temporal]:
    (folder / "temporal").mkdir()
    with temporal(folder / "temporal") as server:
        yield server


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(key=KEY) as running:
        yield running


@pytest.fixture
def zot(tmp_path: Path, engine: Temporal, database: Postgres) -> Zot:
    """`zot` with a queue of its own in the fleet."""
    zot = Zot(tmp_path)
    (zot.cwd / "a.txt").write_text("alpha\n")
    zot.env |= {
        "ZOT_FLEET_ADDRESS": engine.address,
        "ZOT_FLEET_STORE": database.address,
        "ZOT_FLEET_QUEUE": f"queue-{os.urandom(4).hex()}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return zot


@pytest.fixture
def fleet_kills(pytestconfig: pytest.Config) -> tuple[int, int]:
    """How many runs, and how often a worker or the process of a run is killed."""
    return pytestconfig.getoption("fleet_runs"), pytestconfig.getoption("fleet_kills")


@pytest.fixture
def workers(zot: Zot, tmp_path: Path) -> Iterator[Workers]:
    """Workers of the queue, which a test starts; they have ended after it."""
    started = Workers(zot, tmp_path / "work")
    yield started
    started.end()
