"""`EntryCells`: entries that extensions have stored in the session, among the cells of the conversation."""

import asyncio
from functools import partial
from itertools import groupby

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.extensions.painter import ExtensionPainter
from zot_core.aio import spawn
from zot_core.conversation.events import ConversationEvent, SessionStart, SessionTreeMove
from zot_core.errors import SessionError, error_line
from zot_core.sessions.rows import CustomEntry
from zot_tui.widgets.transcript.cell import Cell, PaintedItem
from zot_tui.widgets.transcript.painted_cell import PaintedCell

ENTRY = "entry"
"""The kind of renderers that draw entries."""


class EntryCells:
    """Adds a cell for each entry that a renderer draws: at the end of the conversation when the entry is stored, and in
    its place once a renderer is there or the conversation continues elsewhere. Other entries have no cell."""

    def __init__(self, chat: Chat, painter: ExtensionPainter) -> None:
        self._chat, self._painter = chat, painter
        self._shown: set[str] = set()
        self._loading: asyncio.Task[None] | None = None
        conversation = chat.host.conversation
        conversation.events.add(self._forget, SessionStart, SessionTreeMove)
        conversation.runtime.hooks.entry.add(self._added)

    def load(self) -> None:
        """Read the entries of the conversation, and add the cells that are missing."""
        if self._loading is not None:
            self._loading.cancel()
        self._loading = spawn(self._load(), "entries of extensions")

    async def _load(self) -> None:
        try:
            found = await self._chat.host.conversation.runtime.branches.with_data()
        except SessionError as error:
            self._chat.note(error_line(error), "warning")
        else:
            self._place(found)

    def _forget(self, _: ConversationEvent) -> None:
        self._shown.clear()
        self._chat.presenter.stored.waiting.clear()
        if self._painter.draws(ENTRY):
            self.load()

    def _added(self, entry: CustomEntry) -> None:
        if self._takes(entry):
            self._chat.transcript.append(self._cell(entry))

    def _takes(self, entry: CustomEntry) -> bool:
        return entry.id not in self._shown and self._painter.takes(ENTRY, entry.custom_type, entry.extension)

    def _cell(self, entry: CustomEntry) -> Cell:
        self._shown.add(entry.id)
        item = PaintedItem(entry.id, content=entry.data, owner=entry.extension)
        return PaintedCell(None, self._chat.presenter.style, ENTRY, entry.custom_type, item)

    def _cells(self, entries: list[CustomEntry]) -> list[Cell]:
        return [self._cell(each) for each in entries if self._takes(each)]

    def _place(self, found: list[str | CustomEntry]) -> None:
        """Show entries after the cells of the message before them; `found` has the ids of messages, and entries."""
        messages, transcript = self._chat.host.runtime.messages, self._chat.transcript
        ids = {message.id for message in messages}
        summary = messages[0].id if messages and messages[0].summarized_tokens is not None else ""
        message, last = "", None
        for is_message, group in groupby(found, lambda each: isinstance(each, str)):
            if is_message:
                for id in group:
                    # What a compaction has kept comes before its summary in the session, and after it here.
                    if not (id == summary and message in ids):
                        message, last = str(id), self._chat.presenter.stored.last.get(str(id), last)
                continue
            entries = [each for each in group if isinstance(each, CustomEntry) and self._takes(each)]
            if last is not None or not (message or summary or transcript.older):
                cells = [self._cell(each) for each in entries]
                transcript.insert(last, cells)
                last = cells[-1] if cells else last
            else:
                self._chat.presenter.stored.waiting[message] = partial(self._cells, entries)
