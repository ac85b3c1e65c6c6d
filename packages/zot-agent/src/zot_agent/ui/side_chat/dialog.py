"""`SideDialog`: shows side questions and their answers as they arrive."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from zot_agent.ui.side_chat.chat import SideChat
from zot_core.aio import spawn
from zot_provider.errors import ZotError
from zot_provider.events import AutoRetryStart
from zot_tui.widgets.dialogs.dialog import Hint
from zot_tui.widgets.dialogs.questions import Pages
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, UserCell
from zot_tui.widgets.transcript.chunks import BLANK, Chunk, wrapped

NOTE = "not part of the conversation; the model will not remember it"
WAITING = "waiting for the answer"

_READING = Hint("dialog_page_down", "scroll")
_ANSWERING = (_READING, Hint("dialog_cancel", "stop"))
_ANSWERED = (_READING, Hint("dialog_accept", "ask more"), Hint("dialog_cancel", "close"))


class SideDialog(Pages):
    """Shows questions and answers; it can be opened again for the next ones.

    During an answer Esc stops it, or closes the dialog if no text has arrived. `more` is whether the user wants to ask
    another question. `redraw` is called when the screen must be redrawn.
    """

    def __init__(self, redraw: Callable[[], None]) -> None:
        self.more = False
        self._redraw = redraw
        self._cells: list[Cell] = []
        self._answer = AnswerCell()
        self._work: asyncio.Task[None] | None = None
        super().__init__("By the way", self._chunks, note=NOTE)

    def ask(self, side: SideChat, question: str) -> asyncio.Task[None]:
        """Ask a question and show the answer as it arrives, or the client's error in a line.

        If the returned task ends with another error, the dialog is closed.
        """
        self.more = False
        asked = UserCell(question)
        asked.expanded = True
        self._answer = AnswerCell()
        self._cells += [asked, self._answer]
        self._work = work = spawn(self._follow(side, question, self._answer), "side chat")
        work.add_done_callback(self._over)
        self._update(_ANSWERING)
        return work

    async def _follow(self, side: SideChat, question: str, answer: AnswerCell) -> None:
        try:
            async with aclosing(side.ask(question)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, str):
                        answer.append(piece)
                    else:
                        answer = self._begin_anew(answer, piece)
                    self._update(_ANSWERING)
        except ZotError as error:
            self._cells.append(NoteCell(" ".join(str(error).split()), "error"))
        except asyncio.CancelledError:
            self._cells.append(NoteCell("stopped"))
            raise
        else:
            if not answer.shows:
                self._cells.append(NoteCell("the answer is empty"))
        finally:
            answer.finish()

    def _begin_anew(self, cut: AnswerCell, retry: AutoRetryStart) -> AnswerCell:
        """Return the cell of an answer that begins again, below what was read of it."""
        cut.finish()
        why = f"cut off, and asked again: {retry.error_message}" if cut.shows else retry.error_message
        self._answer = AnswerCell()
        self._cells += [NoteCell(why, "info" if cut.shows else "warning"), self._answer]
        return self._answer

    def _over(self, work: asyncio.Task[None]) -> None:
        if not work.cancelled() and work.exception() is not None:
            self.close(None)
        self._update(_ANSWERED)

    def _update(self, hints: tuple[Hint, ...]) -> None:
        self.hints = hints
        self.reload()
        self._redraw()

    @property
    def _busy(self) -> bool:
        return self._work is not None and not self._work.done()

    def accept(self) -> None:
        """Close in order to ask another question, unless an answer is being written."""
        if not self._busy:
            self.more = True
            self.close(None)

    def cancel(self) -> None:
        if self._work is not None and self._busy and self._answer.shows:
            self._work.cancel()
        else:
            self.close(None)

    def _chunks(self) -> list[Chunk]:
        shown: list[Chunk] = []
        for cell in self._cells:
            shown += [BLANK, *cell.chunks] if shown and cell.chunks else cell.chunks
        if self._busy and not self._answer.shows:
            shown += [BLANK, wrapped([[("muted", f"  {WAITING}")]])]
        return shown
