"""`TranscriptMarks`: the marks of a search in a transcript."""

from typing import NamedTuple

from zot_tui.terminal.canvas import RowCanvas, canvas
from zot_tui.text.find import RowPattern, mark_hits
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk


class TranscriptMarks(NamedTuple):
    """The places of a phrase, and the current place: number `hit` in a chunk of `cell`."""

    pattern: RowPattern
    cell: Cell | None = None
    chunk: int = 0
    hit: int = -1

    def draw(self, cell: Cell, chunk: Chunk, columns: int) -> RowCanvas | None:
        """Return a chunk with its marks; None if it has none."""
        rows = chunk.rows(columns)
        hits = self.pattern.hits(rows, columns)
        here = cell is self.cell and any(each is chunk for each in cell.chunks[self.chunk : self.chunk + 1])
        return canvas(mark_hits(rows, hits, "match", self.hit if here else -1, "selection"), columns) if hits else None
