"""`serve`: runs the HTTP server and its sessions until a signal."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import hypercorn.asyncio
from hypercorn.config import Config

from zot_agent.host.options import HostOptions
from zot_agent.serve.access import Access
from zot_agent.serve.address import Address, SocketFile, open_socket
from zot_agent.serve.allowed_dirs import AllowedDirs
from zot_agent.serve.api import Api
from zot_agent.serve.guard import Guard
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.sessions import Sessions
from zot_agent.signals import on_end_signals
from zot_core.aio import spawn
from zot_provider.record import Record, field, record

_GRACE = 1.0
"""Seconds for connections to read their last data."""


@record
class ServeConfig(Record):
    """What to serve. `defaults` hold for options that a client does not set; `roots` and `names` come from flags (see
    `AllowedDirs`, `Access`)."""

    address: Address
    token: str
    defaults: HostOptions
    roots: Sequence[str] = ()
    names: Sequence[str] = ()
    limits: ServeLimits = field(default_factory=ServeLimits)


async def serve(config: ServeConfig, listening: Callable[[Address], None]) -> int:
    """Serve until a signal comes, and return 128 plus its number. `listening` is called once clients can connect.

    Whatever the sessions run is stopped before this returns. Raises `ConfigError` and `CannotListen`.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def signalled(number: int) -> None:
        if not ended.done():  # later signals change nothing: stopping has time limits
            ended.set_result(number)

    undo = on_end_signals(signalled)
    try:
        async with running(config) as address:
            listening(address)
            return 128 + await ended
    finally:
        undo()


@asynccontextmanager
async def running(config: ServeConfig) -> AsyncIterator[Address]:
    """Serve while the context is entered; its value is the address with the actual port. Raises what `serve` raises."""
    roots = AllowedDirs(config.roots, config.defaults.cwd)
    limits = config.limits
    sessions = Sessions(config.defaults, roots, limits)
    listener, address = open_socket(config.address)
    file = SocketFile(address)
    stop = asyncio.Event()
    app = Guard(Api(sessions, limits).router(), Access(config.token, config.names))
    server = spawn(
        hypercorn.asyncio.serve(app, _config(listener, limits), shutdown_trigger=stop.wait, mode="asgi"),  # type: ignore[arg-type]
        "serve",
    )
    watching = spawn(sessions.watch(), "watch for idle sessions")
    try:
        yield address
    finally:
        watching.cancel()
        try:
            async with asyncio.timeout(limits.close_seconds):
                await sessions.close_all()
        except TimeoutError:
            logging.getLogger("zot_agent.serve").error("sessions were not closed within %g s", limits.close_seconds)
        stop.set()
        await asyncio.wait([server], timeout=3 * _GRACE)
        server.cancel()
        with suppress(asyncio.CancelledError):
            await server
        file.remove()


def _config(listener: socket.socket, limits: ServeLimits) -> Config:
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.errorlog = logging.getLogger("zot_agent.serve")
    config.graceful_timeout = _GRACE
    config.include_server_header = False
    # Two: a message, and the notice that the connection is closed.
    config.max_app_queue_size = 2
    config.websocket_max_message_size = limits.rpc.line_bytes
    return config
