"""`OfferedLists`: what a server offers. Each list is settled alone: a list that it refuses or sends late is empty."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND

from zot_agent.mcp.wire.failures import describe, leaf
from zot_ext.record import Record

LIST_SECONDS = 15.0
"""For a list other than that of the tools, for whose sake a server is started."""
LIST_PAGES = 50
"""The most pages of a list; a server could make up new ones for ever."""
LIST_ITEMS = 1000
NOTES = 100
"""The most lines about what is left out of the offer of a server; the log has all."""

Note = Callable[[str, str], None]
"""Takes a request and a line about what of its answer is left out."""


class Offer(Record):
    """The offer of a server: the objects of its lists, and its name."""

    tools: tuple[Any, ...] = ()
    prompts: tuple[Any, ...] = ()
    resources: tuple[Any, ...] = ()
    templates: tuple[Any, ...] = ()
    title: str = ""
    protocol: str = ""


async def read_offer(client: Any, seconds: float, note: Note) -> Offer:
    """Read all lists; the lists of prompts and resources within `seconds`, `LIST_SECONDS` at most. Raises `MCPError`,
    alone or in a group, if the connection is lost."""
    can = client.server_capabilities
    found: dict[str, tuple[Any, ...]] = {}
    if can.tools:
        found["tools"] = await _items("tools/list", client.list_tools, "tools", "name", note)

    async def more(field: str, method: str, ask: Any, items: str, named: str) -> None:
        with anyio.move_on_after(min(LIST_SECONDS, seconds)) as limit:
            found[field] = await _items(method, ask, items, named, note)
        if limit.cancelled_caught:
            note(method, f"it did not answer {method} within {min(LIST_SECONDS, seconds):g} s")

    async with anyio.create_task_group() as tasks:
        if can.prompts:
            tasks.start_soon(more, "prompts", "prompts/list", client.list_prompts, "prompts", "name")
        if can.resources:
            ask, templates = client.list_resource_templates, ("resource_templates", "uri_template")
            tasks.start_soon(more, "resources", "resources/list", client.list_resources, "resources", "uri")
            tasks.start_soon(more, "templates", "resources/templates/list", ask, *templates)
    info = client.server_info
    title = f"{info.title or info.name} {info.version}".rstrip() if info else ""
    return Offer(**found, title=title, protocol=client.protocol_version)


async def _items(
    method: str, ask: Callable[..., Awaitable[Any]], field: str, named: str, note: Note
) -> tuple[Any, ...]:
    """Return all items of a list, each name once, or no item if it cannot be read. Raises `MCPError` if the connection
    is lost."""
    items: dict[str, Any] = {}
    cursor = None
    try:
        for _ in range(LIST_PAGES):
            page = await ask(cursor=cursor)
            before = len(items)
            for each in getattr(page, field):
                items.setdefault(str(getattr(each, named)), each)
            cursor = page.next_cursor
            if not cursor or len(items) > LIST_ITEMS:
                break
            if len(items) == before:
                note(method, f"{method}: its pages repeat, and the rest is not read")
                cursor = None
                break
    except MCPError as error:
        if error.code == CONNECTION_CLOSED:
            raise
        if error.code != METHOD_NOT_FOUND:
            note(method, f"{method} was refused: {' '.join(error.message.split())[:500]}")
        cursor = None
    except (RuntimeError, ValueError) as error:  # an answer that breaks the protocol
        note(method, f"the answer to {method} cannot be read: {' '.join(str(error).split())[:500]}")
        cursor = None
    if cursor or len(items) > LIST_ITEMS:
        count = f"more than {len(items)}" if cursor else str(len(items))
        note(method, f"{method}: only the first {min(len(items), LIST_ITEMS)} of {count} are used")
    return tuple(items.values())[:LIST_ITEMS]


class OfferedLists:
    """The offer of a server, read again with `follow` whenever it says that a list has changed."""

    def __init__(self, log: Callable[[str], None], offer: Offer) -> None:
        """`offer` is what it offered on an earlier connection."""
        self.offer, self._log = offer, log
        self.left_out: list[str] = []
        """The parts of the offer that are left out, a line each."""
        self._stale, self._fresh = anyio.Event(), anyio.Event()
        self._fresh.set()

    def note(self, method: str, text: str) -> None:
        """Take note of something that is left out."""
        if len(self.left_out) < NOTES:
            self.left_out.append(text)
        self._log(f"{method}: {text}")

    async def read(self, client: Any, seconds: float) -> None:
        self.left_out = []
        self.offer = await read_offer(client, seconds, self.note)

    def change(self) -> None:
        self._stale.set()
        if self._fresh.is_set():
            self._fresh = anyio.Event()

    async def fresh(self) -> None:
        """Wait until the changes so far are read."""
        await self._fresh.wait()

    async def follow(self, client: Any, seconds: float, changed: Callable[[], None]) -> None:
        """Read the lists again whenever they have changed, however often the server says so."""
        while True:
            await self._stale.wait()
            self._stale = anyio.Event()
            try:
                await self.read(client, seconds)
            except* MCPError as errors:
                self._log(f"its lists cannot be read: {describe(leaf(errors))}")
            else:
                changed()
            if not self._stale.is_set():
                self._fresh.set()

    async def listen(self, client: Any) -> None:
        """Hear of changes where the server sends them in their own stream."""
        kinds = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
        try:
            async with client.listen(**kinds) as changes:
                async for _ in changes:
                    self.change()
        except Exception as error:  # noqa: BLE001  of a server, which need not have it, or of a library
            self._log(f"changes of its lists are not heard: {describe(leaf(error))}")
