"""`MarkdownCells`: answers whose Markdown extensions change before it is drawn."""

import asyncio

from zot_agent.extensions.calls.renderer_set import ANSWER, MARKDOWN, RendererSet
from zot_agent.ui.commands.base import Chat
from zot_core.aio import spawn
from zot_tui.widgets.transcript.cells import AnswerCell
from zot_tui.widgets.transcript.chunks import MARGIN

SETTLED = 0.2
"""Seconds without a change of the width after which all answers are asked about again."""


class MarkdownCells:
    """Asks about each answer when it is complete, and again for another width; until then, and without an answer, it is
    drawn as it is."""

    def __init__(self, chat: Chat, renderers: RendererSet) -> None:
        self._chat, self._set = chat, renderers
        self._round = 0  # an answer of an earlier one does not count
        self._width = self._columns()  # at which all answers were asked about
        self._settling: asyncio.TimerHandle | None = None
        chat.presenter.stored.answered.connect(self._ask)
        chat.app.window.resized.connect(self._resized)

    def _columns(self) -> int:
        return max(self._chat.transcript.columns - MARGIN, 1)

    def _resized(self, columns: int, rows: int) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._settling = asyncio.get_running_loop().call_later(SETTLED, self._settled)

    def _settled(self) -> None:
        if self._columns() != self._width:
            self._width = self._columns()
            self.again()

    def again(self) -> None:
        """Ask about all answers, because what changes them is different now."""
        self._round += 1
        for cell in self._chat.transcript.cells:
            if isinstance(cell, AnswerCell) and not cell.live:
                self._ask(cell)

    def _ask(self, cell: AnswerCell) -> None:
        if not self._set.draws(MARKDOWN):
            cell.replacement = None
        else:
            spawn(self._change(cell, self._round), "an extension changes Markdown")

    async def _change(self, cell: AnswerCell, asked: int) -> None:
        original = cell.text
        text = await self._set.transform(ANSWER, original, self._columns())
        if asked == self._round and cell.text == original:
            cell.replacement = None if text == original else text
