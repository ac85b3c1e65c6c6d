"""/sessions /rename: find, open, rename and delete sessions."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from zot_agent.config.paths import sessions_root
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.ages import age
from zot_agent.ui.format.amounts import tokens
from zot_agent.ui.questions.locked_session import copy_question
from zot_core.aio import in_thread, spawn
from zot_core.errors import SessionLocked
from zot_core.sessions import listing
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.preview import SessionPreview, read_preview
from zot_core.sessions.search import query_words, search_sessions
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError, ZotError
from zot_tui.keys.key import Key, parse_key
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import TextInput
from zot_tui.widgets.scroll import MARGIN

CURRENT_SESSION = "this is the current session; start another one with /new first"

_SEARCH = parse_key("ctrl+f")
_ROOM = 8  # rows below which there is no preview


class SessionPicker(Picker[SessionEntry]):
    """The sessions of this directory, or of all directories, or those with some words in their titles and texts. They
    can be renamed and deleted here. What was said last in the chosen one is shown below the list."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self._store = chat, SessionStore(sessions_root())
        self._folder: str | None = chat.host.runtime.cwd
        self._words: list[str] = []
        self._searching: asyncio.Task[None] | None = None
        self._previews: dict[str, SessionPreview] = {}
        actions = (
            RowAction[SessionEntry](str(_SEARCH), "search", lambda _: None),  # see `press`
            RowAction("ctrl+r", "rename", self._doing(self._rename)),
            RowAction("ctrl+d", "delete", self._doing(self._delete), "delete this session?", self._refusal),
            RowAction("ctrl+a", "all", self._doing(self._everywhere)),
        )
        super().__init__("Sessions", (), empty="no sessions yet", actions=actions)

    async def load(self) -> None:
        words, folder = self._words, self._folder
        if words:
            hits = await in_thread(lambda check: search_sessions(self._store, words, check=check))
            self.set_items([self._listed(hit.entry, hit.excerpt) for hit in hits])
            self.problem = "" if hits else f"no session has {' and '.join(words)} in its title or texts"
        else:
            found = await asyncio.to_thread(listing.list_sessions, self._store, folder)
            self.set_items([self._listed(each) for each in found])

    def is_current(self, entry: SessionEntry) -> bool:
        session = self._chat.host.runtime.session
        return session is not None and session.path == entry.path

    # Keys

    def press(self, key: Key) -> bool:
        """See `Dialog`. Ctrl+F searches the texts of all sessions, even if no title has the letters."""
        if key == _SEARCH:
            self.search(self.filter.text)
            self.filter.set_text("")
            return True
        used = super().press(key)
        self._preview_chosen()
        return used

    def set_items(self, items: Any) -> None:
        super().set_items(items)
        self._preview_chosen()

    def close(self, value: SessionEntry | None) -> None:
        """See `Dialog`; a search ends."""
        if self._searching is not None:
            self._searching.cancel()
        super().close(value)

    def search(self, text: str) -> None:
        """List the sessions of all directories that have these words; without words, the sessions as before."""
        self._words = query_words(text)
        if self._searching is not None:
            self._searching.cancel()
        self._searching = spawn(self._show(self.load), "search sessions")
        self.changed()

    # Drawing

    def notice(self) -> tuple[str, str] | None:
        busy = self._searching is not None and not self._searching.done()
        return ("muted", "searching the texts of all sessions...") if busy else super().notice()

    def foot(self, columns: int, limit: int) -> list[Row[Any]]:
        """See `Dialog`: the preview of the chosen session."""
        chosen = self.chosen
        if chosen is None or limit < _ROOM:
            return []
        entry, preview = chosen.value, self._previews.get(chosen.value.path, SessionPreview())
        usage = preview.usage
        read = usage.input + usage.cache_read + usage.cache_write
        about = (
            entry.started[:10], entry.model, "" if entry.messages is None else f"{entry.messages} messages",
            f"↑{tokens(read)} ↓{tokens(usage.output)}" if read else "",
        )  # fmt: skip
        rows: list[Row[Any]] = [[("muted", MARGIN + sanitize_line(" · ".join(filter(None, about))))]]
        for who, text in (("you  ", preview.prompt), ("zot  ", preview.answer)):
            rows.append([("muted", MARGIN + who), ("text", sanitize_line(" ".join(text[:columns].split())))])
        return [clip_runs(row, columns) for row in rows]

    def _preview_chosen(self) -> None:
        """Read the preview of the chosen session, unless it is known."""
        chosen = self.chosen
        if chosen is not None and chosen.value.path not in self._previews:
            self._previews[chosen.value.path] = SessionPreview()
            spawn(self._read_preview(chosen.value.path), "preview a session")

    async def _read_preview(self, path: str) -> None:
        try:
            self._previews[path] = await asyncio.to_thread(read_preview, path)
        except ZotError:
            return  # opening it will say why
        self.changed()
        self._chat.app.redraw()

    def _listed(self, entry: SessionEntry, excerpt: str = "") -> PickerItem[SessionEntry]:
        folder = "" if entry.cwd == self._chat.host.runtime.cwd else entry.cwd
        when = age(time.time() - entry.changed)
        return PickerItem(entry, entry.name or "(empty)", excerpt or folder, when, current=self.is_current(entry))

    def _refusal(self, entry: SessionEntry) -> str:
        return CURRENT_SESSION if self.is_current(entry) else ""

    async def _rename(self, entry: SessionEntry) -> None:
        title = await self._chat.ask(TextInput("Rename the session", text=entry.name))
        if title is not None and self.is_current(entry):
            self._chat.host.conversation.rename(title)
        elif title is not None:
            await asyncio.to_thread(listing.rename, self._store, entry.path, title)

    async def _delete(self, entry: SessionEntry) -> None:
        await asyncio.to_thread(listing.delete, self._store, entry.path)

    async def _everywhere(self, _: SessionEntry) -> None:
        self._words = []
        self._folder = None if self._folder else self._chat.host.runtime.cwd

    def _doing(self, act: Callable[[SessionEntry], Awaitable[None]]) -> Callable[[SessionEntry], object]:
        """Return a function that does `act` in a task and shows the result."""

        async def run(entry: SessionEntry) -> None:
            async def change() -> None:
                await act(entry)
                await self.load()

            await self._show(change)

        return lambda entry: spawn(run(entry), "change session")

    async def _show(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work`, and show its result or its error."""
        try:
            await work()
        except SessionLocked:
            self.problem = "another zot has this session open; close it there first"
        except ZotError as error:
            self.problem = str(error)
        self.changed()
        self._chat.app.redraw()


async def sessions(chat: Chat, words: str) -> None:
    """Open another session: of this directory, or one with these words in its title and texts."""
    picker = SessionPicker(chat)
    if words:
        picker.search(words)
    else:
        await picker.load()
    chosen = await chat.ask(picker)
    if chosen is not None and not picker.is_current(chosen):
        changes, opening = chat.host.conversation.changes, partial(chat.host.open_session, chosen.path)
        try:
            lines = await changes.make(opening)
        except SessionLocked:
            if not await chat.ask(copy_question(), behind=True):
                return
            lines = await changes.make(partial(opening, fork=True))
        for line in lines:
            chat.note(line, "warning")


async def rename(chat: Chat, title: str) -> None:
    """Give the session a title, which a dialog asks for if it is not given."""
    session = chat.host.runtime.session
    if session is None:
        raise ConfigError("this conversation is not saved, so it has no title")
    chosen = title or await chat.ask(TextInput("Rename the session", text=session.meta.title))
    if chosen is not None:
        chat.host.conversation.rename(chosen)
        chat.note(f"the session is called {session.meta.title}" if session.meta.title else "the session has no title")


COMMANDS = (
    SlashCommand("sessions", "[words]", "find, open, rename and delete sessions", "cancel", sessions),
    SlashCommand("rename", "[title]", "give the session a title", "now", rename),
)
