"""`PaintedCell`: a cell that another program may draw as a whole. No urwid."""

from collections.abc import Iterator, Sequence
from typing import Any

from zot_tui.text.runs import Row
from zot_tui.widgets.transcript.cell import Cell, CellStyle, CellText, PaintedItem, Painter, Part
from zot_tui.widgets.transcript.chunks import MARGIN, Chunk, indented


class PaintedCell(Cell):
    """A cell that a painter may draw as a whole, in place of `inner`; without one, it shows nothing until the painter
    has something to draw."""

    __slots__ = ("_inner", "_item", "_kind", "_name", "_style")

    def __init__(self, inner: Cell | None, style: CellStyle, kind: str, name: str, item: PaintedItem) -> None:
        super().__init__()
        self._inner, self._style, self._kind, self._name, self._item = inner, style, kind, name, item
        if inner is not None:
            inner.watch(self._changed)

    @property
    def heading(self) -> str | None:
        return None if self._inner is None else self._inner.heading

    def texts(self) -> Iterator[CellText]:
        if self._inner is not None:
            yield from self._inner.texts()

    def folds(self, width: int) -> bool:
        return self._painter() is not None or (self._inner is not None and self._inner.folds(width))

    def restyle(self) -> None:
        super().restyle()
        if self._inner is not None:
            self._inner.restyle()

    def _painter(self) -> Painter | None:
        painter = self._style.painter
        return painter if painter is not None and painter.takes(self._kind, self._name, self._item.owner) else None

    def _make(self) -> list[Chunk]:
        inner, painter = self._inner, self._painter()
        chunks = [] if inner is None else self._inner_chunks(inner)
        if painter is None:
            return chunks
        part = Part(self._kind, self._name, self._item, self._expanded, "", self._changed)
        if painter.hides(part) or (inner is None and not painter.knows(part)):
            return []

        def rows(width: int) -> Sequence[Row[Any]]:
            inside = max(width - MARGIN, 1)
            drawn = painter.paint(part, inside)
            if drawn is None:
                return [row for chunk in chunks for row in chunk.rows(width)]
            return indented(Chunk(lambda _: drawn)).rows(width)

        return [Chunk(rows)]

    def _inner_chunks(self, inner: Cell) -> list[Chunk]:
        if inner.expanded != self._expanded:
            inner.watch(None)
            inner.expanded = self._expanded
            inner.watch(self._changed)
        return list(inner.chunks)
