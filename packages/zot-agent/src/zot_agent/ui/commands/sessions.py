"""/sessions: those of this directory, to go on with, rename and delete."""

import asyncio
import time

from zot_agent.config.paths import sessions_root
from zot_agent.ui import session_list
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.session_list import SessionEntry
from zot_core.aio import spawn
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ZotError
from zot_tui.widgets.picker import Item, Picker, RowAction
from zot_tui.widgets.questions import TextInput

ACTIONS = (
    RowAction("rename", "ctrl+r", "rename"),
    RowAction("delete", "ctrl+d", "delete", "delete this session?"),
    RowAction("everywhere", "ctrl+a", "all directories"),
)


async def sessions(chat: Chat, _: str) -> None:
    """Open another session."""
    store = SessionStore(sessions_root())
    here: str | None = chat.host.runtime.cwd

    async def items() -> list[Item[SessionEntry]]:
        found = await asyncio.to_thread(session_list.list_sessions, store, here)
        return [_item(each, chat) for each in found]

    def act(name: str, entry: SessionEntry) -> None:
        spawn(_act(name, entry), f"{name} session")

    async def _act(name: str, entry: SessionEntry) -> None:
        nonlocal here
        try:
            if name == "rename":
                title = await chat.ask(TextInput("Rename the session", text=entry.name))
                own = chat.host.runtime.session
                if title is not None and own is not None and own.path == entry.path:
                    own.change(title=session_list.one_line(title))
                elif title is not None:
                    await asyncio.to_thread(session_list.rename, store, entry.path, title)
            elif name == "delete":
                await asyncio.to_thread(session_list.delete, store, entry.path)
            else:
                here = None if here else chat.host.runtime.cwd
            picker.set_items(await items())
        except ZotError as error:
            chat.note(str(error), "error")
        chat.app.redraw()

    picker = Picker("Sessions", await items(), empty="no session yet", actions=ACTIONS, on_action=act)
    chosen = await chat.ask(picker)
    session = chat.host.runtime.session
    if chosen is None or (session is not None and session.path == chosen.path):
        return
    options = chat.host.options.replace(
        session=chosen.path, continue_latest=False, provider="", model="", cwd=chosen.cwd
    )
    for line in await chat.host.reopen(options):
        chat.note(line, "warning")
    chat.show_conversation()


def _item(entry: SessionEntry, chat: Chat) -> Item[SessionEntry]:
    session = chat.host.runtime.session
    current = session is not None and session.path == entry.path
    place = "" if entry.cwd == chat.host.runtime.cwd else entry.cwd
    when = session_list.age(time.time() - entry.changed)
    return Item(entry, entry.name or "(nothing said)", place, when, current=current)
