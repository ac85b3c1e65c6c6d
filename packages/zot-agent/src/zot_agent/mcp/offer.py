"""`read_offer`: the lists of a server, each settled alone: a list that it refuses or does not send in time is empty."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND

from zot_ext.record import Record

LIST_SECONDS = 15.0
"""For a list other than that of the tools, for whose sake a server is started."""
LIST_PAGES = 50
"""The most pages of a list; a server could make up new ones for ever."""
LIST_ITEMS = 1000

Note = Callable[[str, str], None]
"""Takes a request and a line about what of its answer is left out."""


class Offer(Record):
    """What a server offers: the objects of its lists, and its name."""

    tools: tuple[Any, ...] = ()
    prompts: tuple[Any, ...] = ()
    resources: tuple[Any, ...] = ()
    templates: tuple[Any, ...] = ()
    title: str = ""
    protocol: str = ""


async def read_offer(client: Any, seconds: float, note: Note) -> Offer:
    """Read all lists; those of prompts and resources within `seconds`, `LIST_SECONDS` at most. Raises `MCPError`, alone
    or in a group, if the connection is lost."""
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
