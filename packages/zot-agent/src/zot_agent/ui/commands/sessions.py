"""/sessions: open, rename and delete the sessions of this directory."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from zot_agent.config.paths import sessions_root
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.ages import age
from zot_agent.ui.questions.locked import copy_question
from zot_core.aio import spawn
from zot_core.errors import SessionLocked
from zot_core.sessions import listing
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ZotError
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput

CURRENT_SESSION = "this is the current session; start another one with /new first"


class SessionPicker(Picker[SessionEntry]):
    """The sessions of this directory, or of all directories. They can be renamed and deleted here."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self._store = chat, SessionStore(sessions_root())
        self._folder: str | None = chat.host.runtime.cwd
        actions = (
            RowAction("ctrl+r", "rename", self._doing(self._rename)),
            RowAction("ctrl+d", "delete", self._doing(self._delete), "delete this session?", self._refusal),
            RowAction("ctrl+a", "all directories", self._doing(self._everywhere)),
        )
        super().__init__("Sessions", (), empty="no sessions yet", actions=actions)

    async def load(self) -> None:
        """Show the sessions as they are on disk now."""
        found = await asyncio.to_thread(listing.list_sessions, self._store, self._folder)
        self.set_items([self._listed(each) for each in found])

    def is_current(self, entry: SessionEntry) -> bool:
        """Return whether this is the session on the screen."""
        session = self._chat.host.runtime.session
        return session is not None and session.path == entry.path

    def _listed(self, entry: SessionEntry) -> PickerItem[SessionEntry]:
        folder = "" if entry.cwd == self._chat.host.runtime.cwd else entry.cwd
        when = age(time.time() - entry.changed)
        return PickerItem(entry, entry.name or "(empty)", folder, when, current=self.is_current(entry))

    def _refusal(self, entry: SessionEntry) -> str:
        return CURRENT_SESSION if self.is_current(entry) else ""

    async def _rename(self, entry: SessionEntry) -> None:
        title = await self._chat.ask(TextInput("Rename the session", text=entry.name))
        session = self._chat.host.runtime.session
        if title is not None and session is not None and self.is_current(entry):
            session.change(title=listing.first_line(title))
        elif title is not None:
            await asyncio.to_thread(listing.rename, self._store, entry.path, title)

    async def _delete(self, entry: SessionEntry) -> None:
        await asyncio.to_thread(listing.delete, self._store, entry.path)

    async def _everywhere(self, _: SessionEntry) -> None:
        self._folder = None if self._folder else self._chat.host.runtime.cwd

    def _doing(self, act: Callable[[SessionEntry], Awaitable[None]]) -> Callable[[SessionEntry], object]:
        """Return a function that does `act` in a task and shows the result."""

        async def run(entry: SessionEntry) -> None:
            try:
                await act(entry)
                await self.load()
            except SessionLocked:
                self.problem = "another zot has this session open; close it there first"
            except ZotError as error:
                self.problem = str(error)
            self.changed()
            self._chat.app.redraw()

        return lambda entry: spawn(run(entry), "change session")


async def sessions(chat: Chat, _: str) -> None:
    """Open another session."""
    picker = SessionPicker(chat)
    await picker.load()
    chosen = await chat.ask(picker)
    if chosen is not None and not picker.is_current(chosen):
        try:
            lines = chat.host.open_session(chosen.path)
        except SessionLocked:
            if not await chat.ask(copy_question()):
                return
            lines = chat.host.open_session(chosen.path, fork=True)
        for line in lines:
            chat.note(line, "warning")


COMMANDS = (SlashCommand("sessions", "", "open, rename and delete sessions", "cancel", sessions),)
