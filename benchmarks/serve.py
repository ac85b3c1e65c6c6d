"""`zot serve`: the memory of sessions that wait, and frames of many that stream at once."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY, socket

import httpx
from environment import ROOT, Environment, Figure
from model_server import ModelServer
from websockets.asyncio.client import connect

IDLE, STREAMING, DELTAS, RATE = 500, 50, 500, 50
TOKEN = "benchmark-benchmark-benchmark"


class CrowdServer(ModelServer):
    """Answers any number of requests at a time, `RATE` deltas a second each."""

    def _serve(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket) -> None:
        connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        with connection:
            if not self._body(connection):
                return
            connection.sendall(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            begin = time.monotonic()
            for number, write in enumerate(self._writes):
                time.sleep(max(0.0, begin + number / RATE - time.monotonic()))
                connection.sendall(write)


def measure(environment: Environment) -> Iterator[Figure]:
    """Resident memory of the process; frames that did not come; CPU of the process for each that did."""
    zot = _with_extra(environment)
    with _serving(environment, zot, ModelServer(1)) as (process, url):
        before = _megabytes(process)
        after = asyncio.run(_idle(process, url))
    note = f"{(after - before) / IDLE * 1000:.0f} KB each, a WebSocket on each"
    yield Figure(f"zot serve, {IDLE} idle sessions", after, "MB", 400, note)
    with _serving(environment, zot, CrowdServer(DELTAS, burst=False)) as (process, url):
        begin = _cpu(process)
        counts = asyncio.run(_stream(url))
        spent = _cpu(process) - begin
    lost = STREAMING * DELTAS - sum(counts)
    yield Figure(f"zot serve, {STREAMING} sessions of {RATE} deltas a second, lost", lost, "frames", 0)
    each = spent / (STREAMING * DELTAS) * 1e6 * environment.scale
    yield Figure(f"zot serve, {STREAMING} sessions, a delta", each, "µs CPU")


def _with_extra(environment: Environment) -> str:
    """`zot` in an environment of its own: the others are measured without the extra."""
    venv = environment.folder / "serve"
    uv = os.environ.get("UV", "uv")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    links = ["--find-links", str(environment.folder / "dist"), "zot-agent[serve]"]
    python = str(venv / "bin" / "python")
    for command in (
        ["venv", "--quiet", "--python", version, str(venv)],
        ["pip", "install", "--quiet", "--python", python, "--compile-bytecode", *links],
    ):
        subprocess.run([uv, *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return str(venv / "bin" / "zot")


@contextmanager
def _serving(
    environment: Environment, zot: str, server: ModelServer
) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    command = [zot, "serve", "--listen", "127.0.0.1:0", "--max-sessions", str(IDLE), "--provider", "openai"]
    command += ["--model", "m", "--base-url", server.base_url, "--cwd", str(environment.folder / "work")]
    variables = environment.variables | {"ZOT_SERVE_TOKEN": TOKEN}
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().decode().split()[-1]
        process.terminate()
    assert process.returncode == 143


def _megabytes(process: "subprocess.Popen[bytes]") -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1000


def _cpu(process: "subprocess.Popen[bytes]") -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class _Clients:
    """Sessions, and a WebSocket on each."""

    def __init__(self, url: str, count: int) -> None:
        self._url, self._count = url, count
        self._headers = {"Authorization": f"Bearer {TOKEN}"}

    async def __aenter__(self) -> list[connect]:
        self.sockets = []
        async with httpx.AsyncClient(base_url=self._url, headers=self._headers, trust_env=False, timeout=60) as http:
            for _ in range(self._count):
                id = (await http.post("/sessions", json={})).raise_for_status().json()["id"]
                url = f"{self._url.replace('http', 'ws')}/sessions/{id}/ws"
                self.sockets.append(await connect(url, additional_headers=self._headers, max_size=None, proxy=None))
        return self.sockets

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.gather(*(each.close() for each in self.sockets))


async def _idle(process: "subprocess.Popen[bytes]", url: str) -> float:
    async with _Clients(url, IDLE) as sockets:
        for socket in sockets:
            await socket.send('{"type":"ping"}')
            assert json.loads(await socket.recv())["data"] == {"pong": True}
        return _megabytes(process)


async def _stream(url: str) -> list[int]:
    async def count(socket: connect) -> int:
        found = 0
        await socket.send('{"type":"prompt","message":"go"}')
        while (event := json.loads(await socket.recv()))["type"] != "done":
            found += event["type"] == "text_delta"
        return found

    async with _Clients(url, STREAMING) as sockets:
        return await asyncio.gather(*map(count, sockets))
