"""`ForkServer`: a process of a worker that has loaded what runs need, and forks for each of them.

To start Python and to load the modules of a run takes longer than ten of its steps; a fork takes a few milliseconds and
shares their memory. A worker cannot fork, because its engine has threads. The fork server has none: it loads, then
takes requests from its standard input, a socket, and says on its standard output which children have begun and ended.

Only on Linux. Elsewhere, and on macOS above all, whose system libraries do not bear a fork without a new program, a run
has a new process.
"""

import asyncio
import gc
import json
import os
import pkgutil
import signal
import socket
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from zot_agent.fleet.run_lines import LINE_BYTES
from zot_core.aio import finish, spawn
from zot_provider.json_text import dump

FORKS = sys.platform == "linux"

_REQUEST_BYTES = 1 << 16
_LEFT_OUT = ("testing", "__main__")


class ForkedRun:
    """The process of a run, with the part of `asyncio.subprocess.Process` that a worker uses."""

    def __init__(
        self, pid: int, code: "asyncio.Future[int]", stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter
    ) -> None:
        self.pid, self.stdout, self.stdin = pid, stdout, stdin
        self._code = code

    async def wait(self) -> int:
        """Wait for its end, and return its exit code, minus the signal that has ended it; 0 if that cannot be known,
        because the fork server has ended before it."""
        code = await asyncio.shield(self._code)
        self.stdin.transport.abort()
        with suppress(OSError):
            await self.stdin.wait_closed()
        return code

    def kill(self) -> None:
        """End it. Raises `ProcessLookupError`."""
        if not self._code.done():
            os.kill(self.pid, signal.SIGKILL)
        self.stdin.transport.abort()  # an orphan of the fork server may still live; it ends when its worker has gone


class ForkServer:
    """The worker's side. A server that has ended is started again with the next run."""

    def __init__(self) -> None:
        self._running: tuple[asyncio.subprocess.Process, socket.socket, asyncio.Task[None]] | None = None
        self._starting = asyncio.Lock()
        self._asked: deque[asyncio.Future[tuple[int, asyncio.Future[int]]]] = deque()
        self._codes: dict[int, asyncio.Future[int]] = {}

    async def start(self) -> socket.socket:
        """Start the server, if it does not run, and return the socket for its requests. Raises `OSError`."""
        async with self._starting:
            if self._running is not None:
                return self._running[1]
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                command = [sys.executable, "-P", "-m", "zot_agent.fleet.fork_server"]
                process = await asyncio.create_subprocess_exec(
                    *command, stdin=theirs.fileno(), stdout=asyncio.subprocess.PIPE
                )
            self._running = process, ours, spawn(self._read(process, ours), "fork server")
            return ours

    async def fork(self, folder: str) -> ForkedRun:
        """Return a new process of `run_process`, which works in `folder`. Raises `OSError`."""
        requests = await self.start()
        ours, theirs = socket.socketpair()
        asked = asyncio.get_running_loop().create_future()
        try:
            with theirs:
                socket.send_fds(requests, [os.fsencode(folder)], [theirs.fileno()])
            self._asked.append(asked)
            reader, writer = await asyncio.open_connection(sock=ours, limit=LINE_BYTES)
            pid, code = await asyncio.shield(asked)
        except BaseException:
            ours.close()
            raise
        return ForkedRun(pid, code, reader, writer)

    async def close(self) -> None:
        """End the server. Runs that are still there end with the worker."""
        if self._running is not None:
            process, _, reading = self._running
            process.kill()
            await finish(reading)

    async def _read(self, process: asyncio.subprocess.Process, requests: socket.socket) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            said = json.loads(line)
            if "ended" in said:
                self._codes.pop(said["ended"]).set_result(said["code"])
            elif "begun" in said:
                pid, code = said["begun"], asyncio.get_running_loop().create_future()
                self._codes[pid] = code
                self._asked.popleft().set_result((pid, code))
            else:
                self._asked.popleft().set_exception(OSError(said["errno"], said["failed"]))
        await process.wait()
        requests.close()
        self._running = None
        for each in self._asked:
            each.set_exception(OSError(0, "the fork server has ended"))
        for code in self._codes.values():
            code.set_result(0)
        self._asked.clear()
        self._codes.clear()


def load() -> None:
    """Import what a run may need, so that its process finds it loaded."""
    import zot_agent.fleet.run_process  # noqa: PLC0415  the worker needs none of it
    import zot_core  # noqa: PLC0415  as above
    import zot_provider  # noqa: PLC0415  as above

    for package in (zot_core, zot_provider):
        for name in _modules(package.__path__, f"{package.__name__}."):
            with suppress(ImportError):  # an extra, or another system's
                import_module(name)
    with suppress(ImportError):
        import zot_agent.fleet.store.postgres  # noqa: F401, PLC0415  as above


def _modules(path: Any, prefix: str) -> Iterator[str]:
    for each in pkgutil.iter_modules(path, prefix):
        if each.name.rpartition(".")[2] in _LEFT_OUT:
            continue
        yield each.name
        if each.ispkg:
            yield from _modules(import_module(each.name).__path__, f"{each.name}.")


def serve(requests: socket.socket) -> int:
    """Fork for each request until the worker has gone. In a child, return its exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: _report_ends())
    while True:
        folder, files, _, _ = socket.recv_fds(requests, _REQUEST_BYTES, 1)
        if not files:
            return 0
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        try:
            pid = os.fork()
            if not pid:
                requests.detach()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
            else:
                _say({"begun": pid})
        except OSError as error:
            pid = -1
            _say({"failed": error.strerror, "errno": error.errno})
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        if not pid:
            return _work(os.fsdecode(folder), files[0])
        os.close(files[0])


def _work(folder: str, connection: int) -> int:
    from zot_agent.fleet.run_process import main as work  # noqa: PLC0415  loaded long ago

    os.dup2(connection, 0)
    os.dup2(connection, 1)
    os.close(connection)
    os.chdir(folder)
    return work()


def _report_ends() -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            _say({"ended": ended[0], "code": os.waitstatus_to_exitcode(ended[1])})


def _say(message: dict[str, Any]) -> None:
    with suppress(OSError):  # the worker has gone, which the end of the requests says too
        os.write(1, dump(message).encode() + b"\n")


def main() -> None:
    """Be a fork server, and each of its children."""
    code = 1
    try:
        gc.set_threshold(100_000, 20, 20)
        load()
        gc.freeze()  # else a collection in a child would copy all memory that it shares
        code = serve(socket.socket(fileno=0))
    except BaseException:  # noqa: BLE001  a child must not return into the server
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
