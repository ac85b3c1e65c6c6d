"""Dialogs about work that proceeds while they are open: lists of jobs and agents, and their conversations."""

import asyncio
from collections.abc import Awaitable, Callable

from zot_agent.ui.commands.base import Chat
from zot_core.aio import spawn
from zot_core.errors import error_line
from zot_provider.errors import ZotError
from zot_provider.messages import Message
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.dialog import Dialog, V
from zot_tui.widgets.dialogs.questions import Pages
from zot_tui.widgets.transcript.chunks import BLANK, Chunk, wrapped

REFRESH = 0.5
"""Seconds between two looks at what is shown."""

_EXPANDED = 20
"""Cells of a conversation up to which all are shown whole."""


async def ask_following(
    chat: Chat, dialog: Dialog[V], refresh: Callable[[], Awaitable[None] | None], working: Callable[[], object]
) -> V | None:
    """Show a dialog and return its answer; `refresh` updates it meanwhile, as long as `working()`."""

    async def follow() -> None:
        while True:
            await asyncio.sleep(REFRESH)
            if working():
                if (refreshing := refresh()) is not None:
                    await refreshing
                chat.app.redraw()

    following = spawn(follow(), "a dialog that is updated")
    try:
        return await chat.ask(dialog)
    finally:
        following.cancel()


async def show_conversation(
    chat: Chat, title: str, read: Callable[[], Awaitable[tuple[list[Message], str]]], working: Callable[[], object]
) -> None:
    """Show a conversation until it is closed. `read` returns its messages and a line about it; it is read again as long
    as `working()`."""
    shown: list[Message] = []
    line = ""

    def chunks() -> list[Chunk]:
        cells = [cell for cell in chat.presenter.stored.cells(shown) if cell.shows]
        found: list[Chunk] = []
        for cell in cells:
            cell.expanded = len(cells) < _EXPANDED
            found += [*cell.chunks, BLANK]
        return [*found, wrapped([[("muted", sanitize_line(line))]])]

    async def load() -> None:
        nonlocal line
        try:
            shown[:], line = await read()
        except ZotError as error:
            chat.note(error_line(error), "warning")

    await load()
    pages = Pages(sanitize_line(title), chunks)

    async def reload() -> None:
        await load()
        pages.reload()

    await ask_following(chat, pages, reload, working)
