"""`serve`: runs the HTTP server and its sessions until a signal."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.server import ServerState

from zot_agent.config.paths import zot_home
from zot_agent.fleet.addresses import FleetPlaces
from zot_agent.fleet.extra import needs_extra
from zot_agent.host.build import open_registry
from zot_agent.host.options import HostOptions
from zot_agent.serve.access import Access
from zot_agent.serve.address import Address, SocketFile, open_socket
from zot_agent.serve.allowed_dirs import AllowedDirs
from zot_agent.serve.api import Api
from zot_agent.serve.connections import CONNECTION, Connections, HttpProtocol, ServedConnection, SocketProtocol
from zot_agent.serve.guard import Guard
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.sessions import Sessions
from zot_agent.signals import on_end_signals
from zot_agent.standard_error import print_error
from zot_core.aio import spawn
from zot_provider.record import Record, field
from zot_provider.registry import Endpoint, ModelRegistry

if TYPE_CHECKING:
    from zot_agent.fleet.view import FleetView

# Without --debug its log is discarded; the standard library would print it.
logging.getLogger("uvicorn").addHandler(logging.NullHandler())


class ServeConfig(Record):
    """The options of a server. `defaults` hold for options that a client does not set; `roots` and `names` come from
    flags (see `AllowedDirs`, `Access`). `registry` returns the providers and keys that the page shows; None for the
    person's. `fleet` says where the fleet is whose runs are served too."""

    address: Address
    token: str
    defaults: HostOptions
    roots: Sequence[str] = ()
    names: Sequence[str] = ()
    limits: ServeLimits = field(default_factory=ServeLimits)
    registry: Callable[[], ModelRegistry] | None = None
    fleet: FleetPlaces | None = None

    def open_registry(self) -> ModelRegistry:
        """Return the providers and keys as they are now. Raises `ConfigError`."""
        registry = open_registry(zot_home()) if self.registry is None else self.registry()
        if self.defaults.provider and (self.defaults.api_key or self.defaults.base_url):
            given = Endpoint(self.defaults.api_key, self.defaults.base_url, self.defaults.insecure)
            registry.endpoints[registry.id_of(self.defaults.provider)] = given
        return registry


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
    fleet = _fleet_view(config.fleet)
    listener, address = open_socket(config.address)
    file = SocketFile(address)
    app = Guard(
        Api(sessions, config.open_registry, limits, config.defaults, fleet).router(), Access(config.token, config.names)
    )
    server = _Server(app, listener, limits)
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
        await server.close()
        file.remove()
        if fleet is not None:
            await fleet.close()


def _fleet_view(places: FleetPlaces | None) -> "FleetView | None":
    if places is None:
        return None
    with needs_extra():
        from zot_agent.fleet.view import FleetView  # noqa: PLC0415  an extra

    return FleetView(places)


class _Server:
    """Serves `app` on a listening socket, with the protocols of uvicorn. Accepting, limits and the end are our own."""

    def __init__(self, app: ASGIApp, listener: socket.socket, limits: ServeLimits) -> None:
        self._listener, self._limits = listener, limits
        self._state = ServerState()
        self._config = Config(
            app,
            http=HttpProtocol,
            ws=SocketProtocol,
            ws_max_size=limits.rpc.line_bytes,
            ws_ping_interval=None,
            ws_per_message_deflate=False,  # a small frame could become a large message
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
        )
        self._config.load()
        self._connections = Connections(limits, self._protocol, print_error)
        listener.setblocking(False)
        self._accepting = spawn(self._connections.accept(listener), "accept connections")

    def _protocol(self, connection: ServedConnection) -> HttpProtocol:
        return HttpProtocol(self._config, self._state, {CONNECTION: connection})

    async def close(self) -> None:
        """Let the clients read their last data, then close all connections, whatever their requests do."""
        self._accepting.cancel()
        await asyncio.wait([self._accepting])
        self._listener.close()
        await self._wait_for_requests()
        for protocol in tuple(self._state.connections):
            protocol.shutdown()
        await self._connections.close()
        for task in tuple(self._state.tasks):
            task.cancel()
        await self._wait_for_requests()

    async def _wait_for_requests(self) -> None:
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=self._limits.flush_seconds)
