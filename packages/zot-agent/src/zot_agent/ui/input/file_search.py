"""`FileSearch`: the completion of the names of files, found in the background."""

import asyncio

from zot_agent.ui.input.files import FileIndex
from zot_core.aio import spawn
from zot_tui.editor.completion import CompletionQuery
from zot_tui.editor.completion_sources import FileSource
from zot_tui.signal import Signal


class FileSearch(FileSource):
    """Files below `cwd`. `changed` is emitted when there are new candidates for the word."""

    def __init__(self, cwd: str) -> None:
        super().__init__(lambda: self._found)
        self.changed: Signal[[]] = Signal()
        self._index = FileIndex(cwd)
        self._index.changed.connect(self._index_changed)
        self._found: list[str] = []
        self._task: asyncio.Task[None] | None = None
        self._searched: str | None = None

    def follow(self, query: CompletionQuery | None) -> None:
        text = None if query is None else query.text
        if text is not None and text != self._searched:
            self._begin(text)
        self._searched = text

    def _begin(self, text: str) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = spawn(self._search(text), "search files")

    def _index_changed(self) -> None:
        if self._searched is not None:
            self._begin(self._searched)

    async def _search(self, text: str) -> None:
        ranked = await self._index.search(text)
        if ranked is not None and self._searched == text:
            self._found = [each.item for each in ranked]
            self.changed.emit()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        await self._index.close()
