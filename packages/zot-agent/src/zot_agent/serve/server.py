"""`serve`: the process from its first word to its last."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import hypercorn.asyncio
from hypercorn.config import Config

from zot_agent.host.options import Options
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
"""Seconds that connections have to take the last of what was written for them."""


@record
class ServeConfig(Record):
    """What to serve: `defaults` for what clients do not say, `roots` and `names` as given by flags, the rest as the
    classes they are for say."""

    address: Address
    token: str
    defaults: Options
    roots: Sequence[str] = ()
    names: Sequence[str] = ()
    limits: ServeLimits = field(default_factory=ServeLimits)


async def serve(service: ServeConfig, listening: Callable[[Address], None]) -> int:
    """Serve until a signal comes; 128 and its number. `listening` is told once clients may come.

    Whatever the sessions run is stopped before this returns. Raises `ConfigError` and `CannotListen`.
    """
    signalled: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def heard(number: int) -> None:
        if not signalled.done():  # those behind the first change nothing: what is to be stopped has limits
            signalled.set_result(number)

    undo = on_end_signals(heard)
    try:
        async with running(service) as address:
            listening(address)
            return 128 + await signalled
    finally:
        undo()


@asynccontextmanager
async def running(service: ServeConfig) -> AsyncIterator[Address]:
    """Serves as long as this is entered; where, with the port that was found. Raises what `serve` raises."""
    roots = AllowedDirs(service.roots, service.defaults.cwd)
    limits = service.limits
    sessions = Sessions(service.defaults, roots, limits)
    listener, address = open_socket(service.address)
    file = SocketFile(address)
    stop = asyncio.Event()
    app = Guard(Api(sessions, limits).router(), Access(service.token, service.names))
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
            async with asyncio.timeout(limits.close):
                await sessions.close_all()
        except TimeoutError:
            logging.getLogger("zot_agent.serve").error("sessions were not closed within %g s", limits.close)
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
    # Two: a message, and the news that the connection is gone.
    config.max_app_queue_size = 2
    config.websocket_max_message_size = limits.rpc.line
    return config
