"""`SearchRow`: the row in which a person types what to look for in the conversation."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.search.hits import ConversationHits
from zot_core.aio import cancel_soon, spawn
from zot_core.errors import error_line
from zot_provider.errors import ZotError
from zot_tui.keys.key import Key
from zot_tui.terminal.canvas import RowCanvas, canvas, rows_of
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.widgets.dialogs.dialog import DIALOG, LIST, Dialog
from zot_tui.widgets.input.editor import EDITOR, EditorWidget

FIELD = 16
"""Cells that the text keeps on a narrow screen."""

_KEYS = (("Enter/↑", "older"), ("Esc", "close"), ("↓", "newer"))

WIDE = 72
"""Columns from which the keys have room beside the text and what was found."""


class SearchRow(Dialog[None]):
    """A row in place of the editor: the text, which hit of how many is looked at, and the keys, which are below it on a
    narrow screen."""

    no_cache = ("render",)  # every drawing may show an answer that has grown
    contexts = (LIST, DIALOG, EDITOR)
    scrolls_base = True

    def __init__(self, chat: Chat, text: str) -> None:
        self._editor = EditorWidget(placeholder="search the conversation", mark="⌕", single=True)
        super().__init__("", self._editor, field=self._editor)
        self._chat = chat
        self._again = frozenset(chat.keys.keymap.keys("search", (CHAT,)))
        self._hits = ConversationHits(
            chat.transcript, chat.presenter.history, dict(chat.host.runtime.agent.tools), self._shown
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._searched = ""
        self._following: asyncio.Task[None] | None = None
        self._editor.set_text(text)
        self._editor.edited.connect(self._edited)
        self._edited()

    def wanted(self, columns: int) -> int:
        return 1 if columns >= WIDE else 2

    def press(self, key: Key) -> bool:
        """See `Dialog`; the key that opened the row goes to the next hit, too."""
        if key not in self._again:
            return super().press(key)
        self.accept()
        return True

    def accept(self) -> None:
        """Go to the next older hit."""
        self.move(-1)

    def move(self, rows: int) -> None:
        """Go to the next hit above, or below."""
        self._begin(partial(self._hits.step, older=rows < 0))

    def page(self, pages: int) -> None:
        self._chat.transcript.page(pages)

    def end(self, *, last: bool) -> None:
        """Move the cursor in the text."""
        self._editor.move(lambda buffer: buffer.move(len(buffer.text) if last else 0))

    def leave(self) -> None:
        """End all work, and take the marks away."""
        for task in self._tasks:
            cancel_soon(task)
        self._hits.close()

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See `Dialog`: the text, and what was found at the right."""
        columns, rows = size
        if self._hits.outdated and (self._following is None or self._following.done()):
            self._following = self._begin(self._hits.follow)
        found = self._found(max(columns - FIELD, 0), keys=rows == 1)
        left = max(columns - runs_width(found), 1)
        typed = self._editor.render((left,), focus)
        side = canvas([found], columns - left) if columns > left else None
        first = [*rows_of(typed)[0], *(rows_of(side)[0] if side is not None else [])]
        below = canvas([_with_keys([], columns), *[[]] * (rows - 2)] if rows > 1 else [], columns)
        return RowCanvas([first, *rows_of(below)], columns, typed.cursor)

    def _found(self, room: int, *, keys: bool) -> Row[Any]:
        """Return what was found, and `keys` as far as there is room."""
        hits = self._hits
        if self.problem:
            return clip_runs([("error", f" {self.problem} ")], room)
        words: Row[Any] = []
        if self._searched.strip():
            total = f"{hits.total:,}{'+' if hits.counting else ''}"
            none = "searching…" if hits.counting else "nothing found"
            count = f"{hits.number:,} of {total}" if hits.total and hits.place else total if hits.total else none
            words = [("warning" if count == none and not hits.counting else "text", f" {count}")]
        return clip_runs([*(_with_keys(words, room) if keys else words), (None, " ")], room)

    def _edited(self) -> None:
        text = self._editor.text
        if text != self._searched:
            self._searched = text
            for task in self._tasks:
                task.cancel()
            self._hits.look_for(text)
            self._begin(self._hits.count)

    def _begin(self, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        async def guarded() -> None:
            try:
                await work()
            except ZotError as error:
                self.problem = error_line(error)
                self._shown()

        task = spawn(guarded(), "search the conversation")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _shown(self) -> None:
        self._invalidate()
        self._chat.app.redraw()


def _with_keys(words: Row[Any], room: int) -> Row[Any]:
    for key, what in _KEYS:
        hint: Row[Any] = [("dim", " · " if words else " "), ("key", key), ("muted", f" {what}")]
        if runs_width([*words, *hint]) > room:
            break
        words = [*words, *hint]
    return words
