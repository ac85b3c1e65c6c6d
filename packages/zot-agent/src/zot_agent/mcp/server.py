"""`McpServer`: one server, its connection, kept up while the extension runs, and what it offers."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Literal, Protocol

import anyio
import anyio.lowlevel
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    Implementation,
    ListRootsResult,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    Root,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from zot_agent.mcp.config import McpServerConfig
from zot_agent.mcp.stdio import ServerLost, stdio_transport
from zot_agent.mcp.web import http_transport
from zot_ext.record import Record
from zot_ext.version import __version__

PROBE_SECONDS = 20.0
"""For an answer to the first question; a server that ignores what it does not know gets `initialize` then."""
LIST_PAGES = 50
"""The most pages of a list; a server could make up new ones for ever."""
LIST_ITEMS = 1000
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before a lost connection is made again: doubled after each failure in a row."""
FAILURES = 6
"""Failures in a row after which only a call or the person makes it try again."""
STABLE_SECONDS = 30.0
"""A connection that lasted this long ends a row of failures."""

State = Literal["starting", "ready", "waiting", "failed"]
_CHANGES = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)


class Offer(Record):
    """What a server offers: the objects of its lists, and its name."""

    tools: tuple[Any, ...] = ()
    prompts: tuple[Any, ...] = ()
    resources: tuple[Any, ...] = ()
    templates: tuple[Any, ...] = ()
    title: str = ""
    protocol: str = ""


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


class McpServer:
    """A server. `run` connects it until it is cancelled; all methods run on one event loop."""

    def __init__(self, config: McpServerConfig, owner: ServerOwner) -> None:
        self.config, self.name = config, config.name
        self.state: State = "starting"
        self.problem = ""
        """Why it is not ready, as the end of a sentence that begins "the server"."""
        self.offer = Offer()
        self.settled = anyio.Event()
        """Set once it was ready or has failed."""
        self.calls: list[contextvars.Context] = []
        """The contexts of the calls that are open, the newest last; what the server asks belongs to it."""
        self._owner = owner
        self.auth = owner.auth(config) if config.url else None
        self._client: Any = None
        self._gone = anyio.Event()
        self._again = anyio.Event()
        self._stale = anyio.Event()
        self._moved = anyio.Event()
        """Set when the state changes, or the connection ends, and then replaced."""

    # Its connection

    async def run(self) -> None:
        """Keep the server connected."""
        failures = 0
        while True:
            self._gone, self._again = anyio.Event(), anyio.Event()
            self._set("starting")
            began = anyio.current_time()
            why, final = await self._connection()
            failures = 1 if anyio.current_time() - began > STABLE_SECONDS else failures + 1
            self._owner.log(f"{self.name}: the server {why}")
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
            self.problem, self.state, self._client = why, "waiting", None
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
            if self.state == "starting" and not self._gone.is_set():
                self.problem = f"was not ready within {self.config.startup_timeout:g} s"
                tasks.cancel_scope.cancel()
        self._client = None
        if self.auth is not None and self.auth.refused:
            return f"wants a sign-in: /mcp login {self.name}, or zot mcp login {self.name}", True
        if failure and not self.problem:
            error = leaf(failure[0])
            return describe(error), isinstance(error, ServerLost)
        return self.problem or "has ended", False

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        config, owner = self.config, self._owner
        transport = (
            http_transport(config, self.auth)
            if config.url
            else stdio_transport(config, owner.cwd, self._lose, lambda text: owner.log(f"{self.name}: {text}"))
        )
        client = Client(
            transport,
            read_timeout_seconds=PROBE_SECONDS,
            sampling_callback=None if config.sampling == "deny" else self._sample,
            elicitation_callback=self._elicit,
            list_roots_callback=self._roots,
            logging_callback=self._logged,
            message_handler=self._notified,
            client_info=Implementation(name="zot", version=__version__),
            cache=None,
        )
        async with client, anyio.create_task_group() as tasks:
            self._client = client
            await self._list()
            self._set("ready")
            tasks.start_soon(self._follow)
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                tasks.start_soon(self._listen)
            yield
            tasks.cancel_scope.cancel()

    def _set(self, state: State, problem: str = "") -> None:
        self.state, self.problem = state, problem
        self._move()
        if state != "starting":
            self.settled.set()
        self._owner.changed(self)

    # What it offers

    async def _list(self) -> None:
        client, can = self._client, self._client.server_capabilities
        found = {
            "tools": await _pages(client.list_tools, "tools") if can.tools else (),
            "prompts": await _pages(client.list_prompts, "prompts") if can.prompts else (),
            "resources": await _pages(client.list_resources, "resources") if can.resources else (),
            "templates": await _pages(client.list_resource_templates, "resource_templates") if can.resources else (),
        }
        info = client.server_info
        title = f"{info.title or info.name} {info.version}" if info else ""
        self.offer = Offer(**found, title=title, protocol=client.protocol_version)

    async def _follow(self) -> None:
        """Read the lists again whenever they have changed, however often the server says so."""
        while True:
            await self._stale.wait()
            self._stale = anyio.Event()
            try:
                await self._list()
            except MCPError as error:
                self._owner.log(f"{self.name}: its lists cannot be read: {error.message}")
            else:
                self._owner.changed(self)

    async def _listen(self) -> None:
        """Hear of changes where the server sends them in their own stream."""
        kinds = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
        try:
            async with self._client.listen(**kinds) as changes:
                async for _ in changes:
                    self._stale.set()
        except Exception as error:  # noqa: BLE001  of a server, which need not have it, or of a library
            self._owner.log(f"{self.name}: changes of its lists are not heard: {describe(leaf(error))}")

    async def _notified(self, message: object) -> None:
        if isinstance(message, _CHANGES):
            self._stale.set()

    async def _logged(self, params: Any) -> None:
        self._owner.log(f"{self.name}: {params.level}: {str(params.data)[:2000]}")

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
        """Call a tool. Raises `ServerLost`, `MCPError`."""
        return await self._asked(
            lambda client: client.call_tool(
                name, arguments, read_timeout_seconds=self.config.timeout, progress_callback=progress
            )
        )

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Any:
        """Get a prompt. Raises as `call_tool` does."""
        return await self._asked(lambda client: client.get_prompt(name, arguments))

    async def read_resource(self, uri: str) -> Any:
        """Read a resource. Raises as `call_tool` does."""
        return await self._asked(lambda client: client.read_resource(uri))

    async def _asked(self, ask: Callable[[Any], Awaitable[Any]]) -> Any:
        client, context = await self._ready(), contextvars.copy_context()
        self.calls.append(context)
        try:
            return await ask(client)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED or (error.code == INVALID_REQUEST and "terminated" in error.message):
                self._lose("has ended")
                raise ServerLost(self.problem) from None
            raise
        finally:
            self.calls.remove(context)

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
        if self._client is None or self.state != "ready":
            raise ServerLost(self.problem or "is not ready")
        return self._client


async def _pages(ask: Callable[..., Awaitable[Any]], field: str) -> tuple[Any, ...]:
    """Return all items of a list that comes in pages."""
    items: list[Any] = []
    cursor = None
    for _ in range(LIST_PAGES):
        page = await ask(cursor=cursor)
        items += getattr(page, field)
        cursor = page.next_cursor
        if not cursor or len(items) >= LIST_ITEMS:
            break
    return tuple(items[:LIST_ITEMS])


def leaf(error: BaseException) -> BaseException:
    """Return the first error in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def describe(error: BaseException) -> str:
    """Return an error as the end of a sentence that begins "the server"."""
    if isinstance(error, ServerLost):
        return str(error)
    text = " ".join((error.message if isinstance(error, MCPError) else str(error)).split())
    return f"cannot be used: {text or type(error).__name__}"
