"""/sessions: open, rename and delete the sessions of this directory."""

import asyncio
import time

from zot_agent.config.paths import sessions_root
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.ages import age
from zot_core.aio import spawn
from zot_core.errors import SessionLocked
from zot_core.sessions import listing
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ZotError
from zot_tui.keys.key import Key
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

DELETE = "ctrl+d"
CURRENT_SESSION = "this is the current session; start another one with /new first"

ACTIONS = (
    RowAction("rename", "ctrl+r", "rename"),
    RowAction("delete", DELETE, "delete", "delete this session?"),
    RowAction("everywhere", "ctrl+a", "all directories"),
)


class SessionPicker(Picker[SessionEntry]):
    """A picker that shows `problem` in place of its hints until the next key.

    The current session cannot be deleted; the picker says so instead of asking for confirmation.
    """

    problem = ""
    """What went wrong, one line."""

    def pressed(self, key: Key, name: str) -> bool:
        """See `Dialog`."""
        self.problem = ""
        chosen = self.chosen
        if str(key) == DELETE and chosen is not None and chosen.current:
            self.problem = CURRENT_SESSION
            return True
        return super().pressed(key, name)

    def notice(self) -> tuple[str, str] | None:
        """See `Dialog`."""
        return ("error", self.problem) if self.problem else super().notice()


async def sessions(chat: Chat, _: str) -> None:
    """Open another session."""
    store = SessionStore(sessions_root())
    here: str | None = chat.host.runtime.cwd

    async def items() -> list[PickerItem[SessionEntry]]:
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
            picker.problem = "another zot has this session open; close it there first"
        except ZotError as error:
            picker.problem = str(error)
        picker.changed()
        chat.app.redraw()

    picker = SessionPicker("Sessions", await items(), empty="no sessions yet", actions=ACTIONS, on_action=act)
    chosen = await chat.ask(picker)
    session = chat.host.runtime.session
    if chosen is None or (session is not None and session.path == chosen.path):
        return
    for line in chat.host.open_session(chosen.path):
        chat.note(line, "warning")


def _item(entry: SessionEntry, chat: Chat) -> PickerItem[SessionEntry]:
    session = chat.host.runtime.session
    current = session is not None and session.path == entry.path
    folder = "" if entry.cwd == chat.host.runtime.cwd else entry.cwd
    when = age(time.time() - entry.changed)
    return PickerItem(entry, entry.name or "(empty)", folder, when, current=current)


COMMANDS = (SlashCommand("sessions", "", "open, rename and delete sessions", "cancel", sessions),)
