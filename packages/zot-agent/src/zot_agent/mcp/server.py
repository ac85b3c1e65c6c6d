"""`McpServer`: one server, its connection, kept up while the extension runs, and what it offers."""

from __future__ import annotations

import contextlib
import contextvars
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Literal, Protocol

import anyio
import anyio.lowlevel
from mcp import Client
from mcp.client.client import ConnectMode
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, Implementation, ListRootsResult, Root
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from zot_agent.mcp.config import McpServerConfig
from zot_agent.mcp.offer import Offer, OfferedLists
from zot_agent.mcp.wire.failures import describe, leaf
from zot_agent.mcp.wire.repair import Repair
from zot_agent.mcp.wire.standard_error import StandardError
from zot_agent.mcp.wire.stdio import EXIT_SECONDS, ServerLost, stdio_transport
from zot_agent.mcp.wire.streams import Exchange, repaired
from zot_agent.mcp.wire.web import OLD_STATUS, WebAnswers, http_transport, old_transport
from zot_ext.version import __version__

FRESH_SECONDS = 5.0
"""How long the result of a call waits for lists that the server has changed before it."""
LATE_SECONDS = 1.0
"""How much later than the library, which tells the server, a request is given up."""
LOST_SECONDS = EXIT_SECONDS + 1
"""From the end of a connection until it is known why."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before a lost connection is made again: doubled after every failure in a row."""
FAILURES = 6
"""Failures in a row after which only a call or the person makes it try again."""
STABLE_SECONDS = 30.0
"""A connection that lasted this long ends a row of failures."""

CLOSED = "Connection closed"
"""The library's error for a request that waits for an answer when the connection is gone."""

State = Literal["starting", "ready", "waiting", "failed"]


class ServerOwner(Protocol):
    """Whom a server belongs to."""

    cwd: str

    def changed(self, server: McpServer) -> None:
        """Take note of another state or offer."""

    def log(self, text: str) -> None:
        """Write a line to the log."""

    def auth(self, config: McpServerConfig) -> Any:
        """Return what adds tokens to requests, a `ServerAuth`, or None."""

    async def sample(self, server: McpServer, params: Any) -> Any:
        """Answer a question for a model."""

    async def elicit(self, server: McpServer, params: Any) -> Any:
        """Answer a question for the person."""


class ServerConnection:
    """One connection to a server: what it writes beside the protocol, and what it answers."""

    def __init__(self, log: Callable[[str], None], lists: OfferedLists) -> None:
        self.said, self.answers = StandardError(log), WebAnswers()
        self.exchange = Exchange(Repair(lists.note), lists.change)
        self.client: Any = None
        """The client, while it can be used."""
        self.met = False
        """Whether the handshake has succeeded."""


class Approach:
    """How a server is spoken to: as it is, or like an older one. Some end when they are asked what they do not know."""

    def __init__(self, config: McpServerConfig) -> None:
        self._fixed = self.old = config.transport == "sse"
        self.handshake: ConnectMode = "auto"

    def try_otherwise(self, refusal: int) -> None:
        """Let the next attempt speak as to an older server; `refusal` is the status of its last answer."""
        self.handshake = "legacy"
        self.old = self._fixed or (not self.old and refusal in OLD_STATUS)


class McpServer:
    """A server. `run` connects it until it is cancelled; all methods run on one event loop."""

    def __init__(self, config: McpServerConfig, owner: ServerOwner) -> None:
        self.config, self.name = config, config.name
        self.state: State = "starting"
        self.problem = ""
        """Why it is not ready, as the end of a sentence that begins "the server"."""
        self.settled = anyio.Event()
        """Set once it was ready or has failed."""
        self.calls: list[contextvars.Context] = []
        """The contexts of the calls that are open, the newest last; what the server asks belongs to it."""
        self.began = anyio.current_time()
        """When it was started, by the clock of the loop."""
        self.auth = owner.auth(config) if config.url else None
        self._owner = owner
        self.lists = OfferedLists(self._log, Offer())
        self._at = ServerConnection(self._log, self.lists)
        self._gone, self._again = anyio.Event(), anyio.Event()
        self._moved = anyio.Event()
        """Set when the state changes, or the connection ends, and then replaced."""
        self._approach = Approach(config)

    @property
    def progress(self) -> str:
        """The state of its start, as the end of a sentence that begins "the server"."""
        asked, said = self._at.exchange.waits_for, self._at.said.end
        parts = [f"has not answered {asked} yet" if asked else "is not reached yet"]
        parts += [f"it last wrote: {said}"] if said else []
        return f"{parts[0]} ({anyio.current_time() - self.began:.0f} s)" + "".join(f"; {each}" for each in parts[1:])

    def _log(self, text: str) -> None:
        self._owner.log(f"{self.name}: {text}")

    async def settle(self, *, once: bool) -> None:
        """Return when it was ready or has failed; in a run of one prompt, `once`, also when its `wait_for` is over."""
        limit = self.began + self.config.wait_for if once and self.config.wait_for else math.inf
        with anyio.move_on_after(max(limit - anyio.current_time(), 0)):
            await self.settled.wait()

    # Its connection

    async def run(self) -> None:
        """Keep the server connected."""
        failures = 0
        while True:
            self._gone, self._again = anyio.Event(), anyio.Event()
            self.began = anyio.current_time()
            self._set("starting")
            why, final = await self._connection()
            failures = 1 if anyio.current_time() - self.began > STABLE_SECONDS else failures + 1
            self._log(f"the server {why}")
            if final or failures >= FAILURES:
                self._set("failed", why)
                await self._again.wait()
                failures = 0
                continue
            self._set("waiting", why)
            with anyio.move_on_after(min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT)):
                await self._again.wait()

    def reconnect(self) -> None:
        """Connect again, now."""
        self._again.set()
        self._lose("was asked to connect again")

    def _lose(self, why: str) -> None:
        if not self._gone.is_set():
            self.problem, self.state, self._at.client = why, "waiting", None
            self._end()

    def _end(self) -> None:
        self._gone.set()
        self._move()

    def _move(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def _connection(self) -> tuple[str, bool]:
        """Connect, stay connected, and return why that ended, and whether another attempt would end in the same way."""
        failure: list[Exception] = []

        async def stay() -> None:
            try:
                async with self._connected():
                    await self._gone.wait()
            except Exception as error:  # noqa: BLE001  of a server, or of a library that it has confused
                failure.append(error)
            finally:
                self._end()

        self.problem = ""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stay)
            with anyio.move_on_after(self.config.startup_timeout):
                while self.state == "starting" and not self._gone.is_set():
                    await self._moved.wait()
            if slow := self.state == "starting" and not self._gone.is_set():
                self.problem = (
                    f"was not ready within {self.config.startup_timeout:g} s (startup_timeout): it {self.progress}"
                )
                tasks.cancel_scope.cancel()
        self._at.client = None
        if self.auth is not None and self.auth.refused:
            return f"wants a sign-in: /mcp login {self.name}, or zot mcp login {self.name}", True
        final = slow or (bool(failure) and isinstance(leaf(failure[0]), ServerLost))
        if failure and not self.problem:
            self.problem = describe(leaf(failure[0]), self._at.answers)
        if not self._at.met and not slow:
            self._approach.try_otherwise(self._at.answers.refusal)
        return self.problem or "has closed the connection", final

    def _transport(self) -> Any:
        config = self.config
        if not config.url:
            return stdio_transport(config, self._owner.cwd, self._lose, self._at.said, self._log)
        if self._approach.old:
            return old_transport(config, self.auth, self._at.answers, self._lose)
        return http_transport(config, self.auth, self._at.answers)

    @contextlib.asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        async with self._transport() as streams:
            yield repaired(streams, self._at.exchange)

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        self.lists = lists = OfferedLists(self._log, self.lists.offer)
        self._at = at = ServerConnection(self._log, lists)
        client = Client(
            self._streams(),
            mode=self._approach.handshake,
            sampling_callback=None if self.config.sampling == "deny" else self._sample,
            elicitation_callback=self._elicit,
            list_roots_callback=self._roots,
            logging_callback=self._logged,
            client_info=Implementation(name="zot", version=__version__),
            cache=None,
        )
        async with client, anyio.create_task_group() as tasks:
            at.client, at.met = client, True
            seconds = self.config.startup_timeout / 4
            await lists.read(client, seconds)
            self._set("ready")
            tasks.start_soon(lists.follow, client, seconds, lambda: self._owner.changed(self))
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                tasks.start_soon(lists.listen, client)
            yield
            tasks.cancel_scope.cancel()

    def _set(self, state: State, problem: str = "") -> None:
        self.state, self.problem = state, problem
        self._move()
        if state != "starting":
            self.settled.set()
        self._owner.changed(self)

    async def _logged(self, params: Any) -> None:
        self._log(f"{params.level}: {str(params.data)[:2000]}")

    # What it asks

    async def _sample(self, _context: Any, params: Any) -> Any:
        return await self._owner.sample(self, params)

    async def _elicit(self, _context: Any, params: Any) -> Any:
        return await self._owner.elicit(self, params)

    async def _roots(self, _context: Any) -> Any:
        from pathlib import Path  # noqa: PLC0415  rarely asked

        folder = Path(self._owner.cwd or ".").resolve()
        return ListRootsResult(roots=[Root(uri=folder.as_uri(), name=folder.name)])

    # What it does

    async def call_tool(self, name: str, arguments: dict[str, Any], progress: Any = None) -> Any:
        """Call a tool, and wait a moment for lists that it has changed. Raises `ServerLost`, `MCPError`."""
        seconds = self.config.timeout
        found = await self._asked(
            lambda client: client.call_tool(name, arguments, read_timeout_seconds=seconds, progress_callback=progress)
        )
        with anyio.move_on_after(FRESH_SECONDS):
            await self.lists.fresh()
        return found

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Any:
        """Get a prompt. Raises as `call_tool` does."""
        return await self._asked(lambda client: client.get_prompt(name, arguments))

    async def read_resource(self, uri: str) -> Any:
        """Read a resource. Raises as `call_tool` does."""
        return await self._asked(lambda client: client.read_resource(uri))

    async def _asked(self, ask: Callable[[Any], Awaitable[Any]]) -> Any:
        try:
            return await self._asked_once(ask)
        except _SessionEnded as ended:  # as after a restart; the server has not done what it was asked
            self._lose(str(ended))
            return await self._asked_once(ask)

    async def _asked_once(self, ask: Callable[[Any], Awaitable[Any]]) -> Any:
        client, context = await self._ready(), contextvars.copy_context()
        self.calls.append(context)
        seconds = self.config.timeout
        try:
            # A call of a tool has the same limit in the library, which tells the server that nobody waits any more.
            with anyio.fail_after(seconds + LATE_SECONDS):
                return await ask(client)
        except TimeoutError:
            raise ServerLost(f"did not answer within {seconds:g} s (timeout)") from None
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise ServerLost(f"did not answer within {seconds:g} s (timeout)") from None
            if self._at.answers.refusal in (400, 404) and "session" in error.message.lower():
                raise _SessionEnded("has ended the session") from None
            if error.code == CONNECTION_CLOSED:
                raise ServerLost(await self._why_lost(error.message)) from None
            raise
        finally:
            self.calls.remove(context)

    async def _why_lost(self, message: str) -> str:
        """Return why a connection has ended, once that is known; one of HTTP may have lost a single answer."""
        if message != CLOSED:
            return f"has not answered: {message}"
        with anyio.move_on_after(LOST_SECONDS):
            while self.state == "ready":
                await self._moved.wait()
        return self.problem or "has closed the connection"

    async def _ready(self) -> Any:
        """Return the client, once it is ready; a server that has failed or waits is asked to try again."""
        if self.state in ("failed", "waiting"):
            self._again.set()
            await anyio.lowlevel.checkpoint()
        with anyio.move_on_after(self.config.startup_timeout):
            while self.state != "ready":
                if self.state in ("failed", "waiting") and not self._again.is_set():
                    break
                await self._moved.wait()
        if self._at.client is None or self.state != "ready":
            raise ServerLost(self.problem or "is not ready")
        return self._at.client


class _SessionEnded(ServerLost):
    """The server does not know the session of a request, and so has refused it."""
