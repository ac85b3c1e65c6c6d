"""/sessions: those of this directory, to go on with, rename and delete."""

import asyncio
import time

from zot_agent.config.paths import sessions_root
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.format.ages import age
from zot_core.aio import spawn
from zot_core.errors import SessionLocked
from zot_core.sessions import listing
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ZotError
from zot_tui.keys.key import Key
from zot_tui.widgets.dialogs.picker import Item, Picker, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

DELETE = "ctrl+d"
AT_HAND = "this is the session at hand; begin another one with /new first"

ACTIONS = (
    RowAction("rename", "ctrl+r", "rename"),
    RowAction("delete", DELETE, "delete", "delete this session?"),
    RowAction("everywhere", "ctrl+a", "all directories"),
)


class SessionPicker(Picker[SessionEntry]):
    """A picker that says in place of its hints what went wrong, until the next key. The session at hand, which is the
    current item, is not deleted: that is said before it is asked whether it should be."""

    problem = ""

    def pressed(self, key: Key, name: str) -> bool:
        """See `Dialog`."""
        self.problem = ""
        chosen = self.chosen
        if str(key) == DELETE and chosen is not None and chosen.current:
            self.problem = AT_HAND
            return True
        return super().pressed(key, name)

    def notice(self) -> tuple[str, str] | None:
        """See `Dialog`."""
        return ("error", self.problem) if self.problem else super().notice()


async def sessions(chat: Chat, _: str) -> None:
    """Open another session."""
    store = SessionStore(sessions_root())
    here: str | None = chat.host.runtime.cwd

    async def items() -> list[Item[SessionEntry]]:
        found = await asyncio.to_thread(listing.list_sessions, store, here)
        return [_item(each, chat) for each in found]

    def act(name: str, entry: SessionEntry) -> None:
        spawn(_act(name, entry), f"{name} session")

    async def _act(name: str, entry: SessionEntry) -> None:
        nonlocal here
        own = chat.host.runtime.session
        mine = own is not None and own.path == entry.path
        try:
            if name == "rename":
                title = await chat.ask(TextInput("Rename the session", text=entry.name))
                if title is not None and own is not None and mine:
                    own.change(title=listing.first_line(title))
                elif title is not None:
                    await asyncio.to_thread(listing.rename, store, entry.path, title)
            elif name == "delete":
                await asyncio.to_thread(listing.delete, store, entry.path)
            else:
                here = None if here else chat.host.runtime.cwd
            picker.set_items(await items())
        except SessionLocked:
            picker.problem = "another zot has this session open; close that one first"
        except ZotError as error:
            picker.problem = str(error)
        picker.changed()
        chat.app.redraw()

    picker = SessionPicker("Sessions", await items(), empty="no session yet", actions=ACTIONS, on_action=act)
    chosen = await chat.ask(picker)
    session = chat.host.runtime.session
    if chosen is None or (session is not None and session.path == chosen.path):
        return
    for line in chat.host.open_session(chosen.path):
        chat.note(line, "warning")


def _item(entry: SessionEntry, chat: Chat) -> Item[SessionEntry]:
    session = chat.host.runtime.session
    current = session is not None and session.path == entry.path
    place = "" if entry.cwd == chat.host.runtime.cwd else entry.cwd
    when = age(time.time() - entry.changed)
    return Item(entry, entry.name or "(nothing said)", place, when, current=current)
