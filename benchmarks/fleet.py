"""A fleet on this machine: a row in Postgres, runs a minute with two workers, and how long a take-over takes.

It runs in the checkout's own environment, which has the servers of `tests/fleet`.
"""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from environment import ROOT, Environment, Figure
from tool_server import ToolServer

sys.path.insert(0, str(ROOT / "tests" / "support"))

ROWS, ROW = 1000, b'{"type":"message","message":{"role":"user","content":"' + b"x" * 700 + b'"}}\n'
STEPS, RUNS, WORKERS, CONCURRENCY = 10, 150, 2, 4
HEARTBEAT = 10.0
WAIT = 600.0


def measure(environment: Environment) -> Iterator[Figure]:
    """The runs have ten steps of `true`, in a sandbox that is off."""
    from fleet_servers import Postgres, postgres, temporal

    folder = environment.folder / "fleet"
    for name in ("postgres", "temporal", "work", "files"):
        (folder / name).mkdir(parents=True)
    environment.folder.chmod(0o755)
    with ExitStack() as stack:
        database: Postgres = stack.enter_context(postgres(folder / "postgres"))
        engine = stack.enter_context(temporal(folder / "temporal"))
        yield Figure("a row of 750 bytes in Postgres, on its disk", _row(database.address), "ms", 3)
        variables = {**os.environ, "ZOT_HOME": str(folder / "home"), "OPENAI_API_KEY": "k" * 20}
        variables |= {"ZOT_FLEET_ADDRESS": engine.address, "ZOT_FLEET_STORE": database.address}
        workers = [_worker(variables, folder) for _ in range(WORKERS)]
        stack.callback(lambda: [os.killpg(each.pid, signal.SIGKILL) for each in workers if each.poll() is None])
        server = ToolServer("bash", lambda _: {"command": "true"}, STEPS)
        asyncio.run(_submit(["warm"], engine.address, database.address, server.base_url, folder))
        _wait(database, 1)
        begin, cpu = time.monotonic(), _cpu(workers)
        names = [f"run-{number}" for number in range(RUNS)]
        asyncio.run(_submit(names, engine.address, database.address, server.base_url, folder))
        _wait(database, RUNS + 1)
        took, cpu = time.monotonic() - begin, _cpu(workers) - cpu
        note = f"{RUNS / took * 60:.0f} a minute"
        yield Figure(f"{RUNS} runs of {STEPS} steps with two workers", took, "s", 60, note)
        yield Figure(f"a run of {STEPS} steps, its worker and its process", cpu / RUNS * environment.scale, "s CPU")
        size = database.execute("SELECT sum(pg_column_size(r.*)) FROM zot_row AS r WHERE run <> 'rows'")[0][0]
        yield Figure("its rows in Postgres", size / (RUNS + 1) / 1e3, "kB")
        slow = ToolServer("bash", lambda number: {"command": "sleep 3"}, STEPS)
        asyncio.run(_submit(["moved"], engine.address, database.address, slow.base_url, folder))
        yield Figure("take-over of a run whose worker is killed", _take_over(database, workers), "s", HEARTBEAT + 10)


def _row(address: str) -> float:
    from zot_agent.fleet.store.postgres import PostgresStore

    store, took = PostgresStore(address), []
    store.create("rows", [ROW])
    for number in range(1, ROWS):
        begin = time.perf_counter()
        store.append("rows", 0, number, ROW)
        took.append(time.perf_counter() - begin)
    store.close()
    return statistics.median(took) * 1000


def _worker(variables: dict[str, str], folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "zot_agent", "worker", "--sandbox", "off", "--folder", str(folder / "work")]
    command += ["--concurrency", str(CONCURRENCY)]
    return subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, start_new_session=True)


async def _submit(names: list[str], engine: str, database: str, base_url: str, folder: Path) -> None:
    from zot_agent.fleet.engine.client import Fleet, connect
    from zot_agent.fleet.rows import first_rows
    from zot_agent.fleet.store.postgres import PostgresStore
    from zot_agent.host.options import HostOptions

    fleet, store = Fleet(await connect(engine), "zot"), PostgresStore(database)
    options = HostOptions(
        provider="openai", model="m", base_url=base_url, cwd=str(folder / "files"), permission_mode="yolo"
    )
    for name in names:
        store.create(name, first_rows(name, "go", options, {}))
        await fleet.submit(name, store.submit(name))
    store.close()


def _wait(database: Any, count: int) -> None:
    """Wait until so many runs have a row that says that they are done."""
    done = 'SELECT count(*) FROM zot_row WHERE position(\'"state":"done"\'::bytea IN data) > 0'
    end = time.monotonic() + WAIT
    while database.execute(done)[0][0] < count:
        assert time.monotonic() < end, "the runs do not end"
        time.sleep(0.1)


def _take_over(database: Any, workers: "list[subprocess.Popen[bytes]]") -> float:
    """Kill the workers that have the run, and return the seconds until another one has taken it up."""
    attempt = "SELECT attempt FROM zot_run WHERE id = 'moved' AND rows > 6"
    end = time.monotonic() + WAIT
    while not (before := database.execute(attempt)):
        assert time.monotonic() < end, "the run does not begin"
        time.sleep(0.05)
    victim = next(each for each in workers if any(_children(int(child)) for child in _children(each.pid)))
    begin = time.monotonic()
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
    while database.execute(attempt) == before:
        assert time.monotonic() < end, "no worker takes the run"
        time.sleep(0.05)
    return time.monotonic() - begin


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _cpu(workers: "list[subprocess.Popen[bytes]]") -> float:
    """Seconds of processor time of the workers, their fork servers and the processes of runs that have ended."""
    ticks = 0
    for pid in [name for each in workers for name in (str(each.pid), *_children(each.pid))]:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
