"""`Connections`: accepts connections, and closes those above a limit: of a peer, of all peers, or in time."""

import asyncio
import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

from zot_agent.serve.limits import ServeLimits

_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Errors of `accept` that pass when other connections are closed."""


class ServedConnection:
    """One connection: a stranger, except while a request with the token is being served on it.

    The protocol of the connection calls `opened`, `lost`, `must_wait` and `may_write`, the guard `admitted`.
    """

    def __init__(self, all: "Connections", peer: str, limits: ServeLimits) -> None:
        self.peer = peer
        self._all, self._limits = all, limits
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._stranger_timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None
        self._closed = False

    def opened(self, transport: asyncio.Transport) -> None:
        """Note the transport."""
        self._transport = transport
        if self._closed:
            transport.abort()

    def lost(self) -> None:
        self._closed = True
        self._stop_timers()
        self._all.forget(self)

    def start_as_stranger(self) -> None:
        """Count as a stranger from now on."""
        self._stranger_timer = self._loop.call_later(self._limits.stranger_seconds, self.abort)
        self._all.strangers[self] = None

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Count as no stranger while the context is entered."""
        self._all.strangers.pop(self, None)
        if self._stranger_timer is not None:
            self._stranger_timer.cancel()
        try:
            yield
        finally:
            if not self._closed:
                self.start_as_stranger()

    def must_wait(self) -> None:
        """Note that the peer has too much to read."""
        if self._unread_timer is None and not self._closed:
            self._unread_timer = self._loop.call_later(self._limits.unread_seconds, self.abort)

    def may_write(self) -> None:
        """Note that the peer has read most of it."""
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def abort(self) -> None:
        """Close the connection at once; data that the peer has not read is lost."""
        self.lost()
        if self._transport is not None:
            self._transport.abort()

    def _stop_timers(self) -> None:
        self.may_write()
        if self._stranger_timer is not None:
            self._stranger_timer.cancel()
            self._stranger_timer = None


class Connections:
    def __init__(
        self,
        limits: ServeLimits,
        protocol: Callable[[ServedConnection], asyncio.Protocol],
        report: Callable[[str], None],
    ) -> None:
        """`protocol` makes the protocol of a connection; `report` gets a line for the user."""
        self._limits, self._protocol, self._report = limits, protocol, report
        self._open: set[ServedConnection] = set()
        self._none_open = asyncio.Event()
        self._none_open.set()
        self._failure = ""
        self.strangers: dict[ServedConnection, None] = {}
        """The strangers, in the order in which they became strangers."""

    async def accept(self, listener: socket.socket) -> None:
        """Accept connections, until cancelled. An error is reported once, and accepting continues."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, address = await loop.sock_accept(listener)
            except ConnectionAbortedError:
                continue
            except OSError as error:
                await self._recover(error)
                continue
            self._failure = ""
            try:
                await self._admit(accepted, _peer(address))
            except OSError:  # the connection is gone already
                accepted.close()

    async def _recover(self, error: OSError) -> None:
        problem = f"cannot accept connections: {error.strerror}"
        if problem != self._failure:
            self._failure = problem
            self._report(problem)
        if error.errno in _EXHAUSTED and self.strangers:
            next(iter(self.strangers)).abort()
        await asyncio.sleep(self._limits.accept_retry_seconds)

    async def _admit(self, accepted: socket.socket, peer: str) -> None:
        connection = ServedConnection(self, peer, self._limits)
        self._open.add(connection)
        self._none_open.clear()
        connection.start_as_stranger()
        of_peer = [each for each in self.strangers if each.peer == peer]
        if len(of_peer) > self._limits.peer_strangers:
            of_peer[0].abort()
        elif len(self.strangers) > self._limits.strangers or len(self._open) > self._limits.connections:
            next(iter(self.strangers)).abort()
        await asyncio.get_running_loop().connect_accepted_socket(lambda: self._protocol(connection), accepted)

    def forget(self, connection: ServedConnection) -> None:
        self._open.discard(connection)
        self.strangers.pop(connection, None)
        if not self._open:
            self._none_open.set()

    async def close(self) -> None:
        """Wait until the connections have ended, and after `flush_seconds` close the rest at once."""
        try:
            async with asyncio.timeout(self._limits.flush_seconds):
                await self._none_open.wait()
        except TimeoutError:
            for connection in tuple(self._open):
                connection.abort()


def _peer(address: object) -> str:
    """Name the peer behind an address of `accept`: an IPv6 network of 64 bits counts as one peer."""
    if not isinstance(address, tuple):  # a Unix socket
        return ""
    ip = ip_address(address[0].partition("%")[0])
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is None:
        return ip.packed[:8].hex()
    return str(ip)


CONNECTION = "connection"
"""The name of the `ServedConnection` in `app_state`, which is `state` in the scope of a request."""


class _Reporting(asyncio.Protocol):
    """A protocol of uvicorn that reports to the `ServedConnection` in its `app_state`."""

    app_state: dict[str, Any]

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.app_state[CONNECTION].lost()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.app_state[CONNECTION].must_wait()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.app_state[CONNECTION].may_write()


class HttpProtocol(_Reporting, H11Protocol):
    """HTTP/1.1, as uvicorn speaks it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state[CONNECTION].opened(transport)


class SocketProtocol(_Reporting, WSProtocol):
    """WebSocket, which follows HTTP on a connection.

    While the client has too much to read, nothing is read from it: each ping would add an answer.
    """

    def pause_writing(self) -> None:
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()
