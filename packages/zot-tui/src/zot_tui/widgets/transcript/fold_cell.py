"""`FoldCell`: a text folded into one row. No urwid."""

from collections.abc import Iterator, Sequence
from typing import Any

from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.widgets.transcript.cell import Cell, CellStyle, CellText
from zot_tui.widgets.transcript.cells import AnswerCell
from zot_tui.widgets.transcript.chunks import Chunk


class FoldCell(Cell):
    """A row such as `≡ title  fact · fact`; when expanded, the text follows as Markdown."""

    __slots__ = ("_body", "_facts", "_style", "_title")

    def __init__(self, title: str, text: str, facts: Sequence[str] = (), style: CellStyle | None = None) -> None:
        super().__init__()
        self._title = detached(sanitize_line(title))
        self._facts = [sanitize_line(fact) for fact in facts]
        self._body = AnswerCell(text, finished=True)
        self._style = style or CellStyle()

    @property
    def shows(self) -> bool:
        """Always true: the cell shows at least its row."""
        return True

    def texts(self) -> Iterator[CellText]:
        yield CellText(self._title)
        yield from self._body.texts()

    def folds(self, width: int) -> bool:
        return self._body.shows

    def release(self) -> None:
        super().release()
        self._body.release()

    def _make(self) -> list[Chunk]:
        folded = self._body.shows and not self._expanded
        facts = [*self._facts, self._style.hint] if folded else self._facts
        row: Row[Any] = [("dim", "≡ "), ("thought", self._title)]
        if facts:
            row.append(("muted", f"  {' · '.join(facts)}"))
        head = Chunk(lambda width: [clip_runs(row, width)])
        return [head, Chunk(lambda width: []), *self._body.chunks] if self._expanded else [head]
