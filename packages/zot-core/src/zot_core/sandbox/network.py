"""`SandboxNetwork`: the network of sandboxes that may reach some hosts, through a `FilteringProxy` in this process.

A sandbox has its own network, with a loopback and nothing else. Before a command starts there, `join` listens on a
port of that loopback and hands the listening socket out to this process, which serves it until the sandbox ends.
"""

import asyncio
import functools
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from zot_core.aio import cancel_soon, spawn
from zot_core.machine.hosts import HostPattern, host_patterns
from zot_core.machine.network import NetworkAccess
from zot_core.machine.shell import Launch
from zot_core.sandbox import join
from zot_core.sandbox.proxy import FilteringProxy, ProxyLimits

PORT = 3128
"""The port inside; each sandbox has its own loopback, so it is free."""

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_DIRECT = "localhost,127.0.0.1,::1"


class SandboxNetwork:
    """Lets sandboxes reach `hosts`, patterns of which ValueError names a wrong one. Needs a running event loop."""

    def __init__(self, hosts: Sequence[str], limits: ProxyLimits | None = None) -> None:
        self.proxy = FilteringProxy(NetworkAccess(hosts=host_patterns(hosts)), limits)
        self.tasks: set[asyncio.Task[None]] = set()
        """One for each sandbox that runs, or for all of them."""
        self._port = 0

    def allow(self, hosts: Sequence[str], denied: Sequence[HostPattern]) -> None:
        """Replace the hosts, also for sandboxes that run. ValueError, and no change, for a wrong pattern."""
        self.proxy.access = self.proxy.access.replace(hosts=host_patterns(hosts), denied=denied)

    def join(self, launch: Launch) -> tuple[list[str], Launch]:
        """Return arguments of bubblewrap, and how to start `launch` behind them. Its descriptors become descriptors of
        the result, which the caller closes."""
        ours, theirs = socket.socketpair()
        alive = os.dup(theirs.fileno())  # bubblewrap holds it until the sandbox ends, and gives it to nobody
        door = theirs.detach()
        self._spawn(self._serve_sandbox(ours))
        program = [os.path.realpath(sys.executable), "-ISE", "-c", _source(), str(door), str(PORT)]
        joined = launch.replace(
            argv=[*program, *launch.argv],
            env={**launch.env, **proxy_variables(PORT)},
            descriptors=[*launch.descriptors, door, alive],
        )
        return ["--sync-fd", str(alive)], joined

    def listen(self, launch: Launch) -> tuple[int, Launch]:
        """Return a port of this machine's loopback that is served until `close`, and `launch` with the variables for
        it: for sandboxes without a network of their own. Other programs of this machine can use the port too."""
        if not self._port:
            listener = socket.create_server(("127.0.0.1", 0))
            self._port = int(listener.getsockname()[1])
            self._spawn(self._serve(listener, asyncio.Event().wait))
        return self._port, launch.replace(env={**launch.env, **proxy_variables(self._port)})

    def close(self) -> None:
        """End all connections. Sandboxes that run reach nothing more."""
        for task in list(self.tasks):
            cancel_soon(task)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = spawn(work, "network of a sandbox")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _serve_sandbox(self, door: socket.socket) -> None:
        """Serve the socket that comes through `door`, until the sandbox ends."""
        with door:
            listener = await _receive(door)
            if listener is None:
                return
            await self._serve(listener, functools.partial(_readable, door))

    async def _serve(self, listener: socket.socket, end: Callable[[], Awaitable[object]]) -> None:
        """Serve a listening socket until `end` returns."""
        connections: set[asyncio.Task[None]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            task.add_done_callback(connections.discard)
            with suppress(asyncio.CancelledError):  # what starts this task takes it for an error in Python 3.11
                await self.proxy.serve(reader, writer)

        server = await asyncio.start_server(serve, sock=listener, limit=self.proxy.limits.head_bytes)
        try:
            await end()
        finally:
            server.close()
            for task in list(connections):
                task.cancel()


def proxy_variables(port: int) -> dict[str, str]:
    """Return the variables by which programs find a proxy at a port of their loopback."""
    url = f"http://127.0.0.1:{port}"
    return dict.fromkeys(_VARIABLES, url) | {"NO_PROXY": _DIRECT, "no_proxy": _DIRECT, "NODE_USE_ENV_PROXY": "1"}


@functools.cache
def _source() -> str:
    with open(join.__file__, encoding="utf-8") as file:
        return file.read()


async def _receive(door: socket.socket) -> socket.socket | None:
    """Return the listening socket that comes through `door`; None if the sandbox ends without."""
    await _readable(door)
    try:
        _, descriptors, _, _ = socket.recv_fds(door, 1, 1)
    except OSError:
        return None
    found = [socket.socket(fileno=each) for each in descriptors]
    for each in found:
        if each.family == socket.AF_INET and each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return each
        each.close()
    return None


async def _readable(descriptor: socket.socket) -> None:
    """Wait until there is something to read, or the end."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(descriptor, wake)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
