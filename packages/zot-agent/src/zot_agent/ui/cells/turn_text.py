"""`TurnText`: the cells of what a model writes in one turn: its answer and its thoughts."""

from collections.abc import Sequence

from zot_core.sessions.totals import RunCounter
from zot_provider.messages import Message
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.cells import AnswerCell, ThoughtCell
from zot_tui.widgets.transcript.transcript import Transcript


class TurnText:
    """Adds cells to `transcript`; a call between two texts makes them two cells. `run` counts events before they are
    shown."""

    def __init__(self, transcript: Transcript, style: CellStyle, run: RunCounter) -> None:
        self._transcript, self._style, self._run = transcript, style, run
        self._answer: AnswerCell | None = None
        self._thought: ThoughtCell | None = None
        self._deferred = False
        self.begin()

    def begin(self) -> None:
        """Start another turn."""
        self.end()
        self._thoughts: list[ThoughtCell] = []
        self._answers: list[AnswerCell] = []
        self._cut = False  # whether a note says that the text of this turn is cut off

    def begin_answer(self, *, deferred: bool) -> None:
        """Remove the thoughts of an answer that begins again; text that was read stays above it. A deferred answer is
        shown once it is complete."""
        self.end()
        self._deferred = deferred
        for cell in (*self._thoughts, *(cell for cell in self._answers if not cell.shows)):
            self._transcript.remove(cell)
        self.begin()

    def add(self, delta: str) -> None:
        """Append to the answer. A deferred one gets an empty cell, so that its text appears in the right place."""
        self._end_thought()
        if self._answer is None:
            if not delta.strip():
                return
            self._answer = AnswerCell()
            self._answers.append(self._answer)
            self._transcript.append(self._answer)
        self._answer.append("" if self._deferred else delta)

    def think(self, delta: str) -> None:
        """Append to the thoughts."""
        if self._thought is None:
            self._thought = ThoughtCell(style=self._style)
            self._thoughts.append(self._thought)
            self._transcript.append(self._thought)
        self._thought.append(delta)

    def _end_thought(self) -> None:
        if self._thought is not None:
            self._thought.finish(self._run.thought)
            self._thought = None

    def end(self) -> None:
        """Finish the cells that grow; more text is in new ones."""
        self._end_thought()
        if self._answer is not None:
            self._answer.finish()
            self._answer = None

    def complete(self, message: Message) -> Sequence[AnswerCell]:
        """Show the complete answer, which differs from its deltas if an extension has changed it. Return its cells."""
        self.end()
        shown = "".join(cell.text for cell in self._answers)
        if shown.split() == message.text.split():
            return self._answers
        if self._answers and not shown:
            self._answers[0].append(message.text)
            return self._answers
        for cell in self._answers:
            self._transcript.remove(cell)
        self._answers.clear()
        if message.text.strip():
            self._answers.append(AnswerCell(message.text, finished=True))
            self._transcript.append(*self._answers)
        return self._answers

    def cut_off(self) -> bool:
        """Note that the answer broke off. Return whether text of it was read, True once in a turn."""
        first = not self._cut and any(cell.shows for cell in self._answers)
        self._cut = self._cut or first
        return first
