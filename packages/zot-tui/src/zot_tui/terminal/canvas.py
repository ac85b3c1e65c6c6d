"""`RowCanvas` and `Rows`: rows of styled runs as urwid canvases; every widget draws through this module."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, cast

from zot_tui.terminal.frame import ScreenRow
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import Over, Row, Run
from zot_tui.text.width import split_at, width
from zot_tui.theme.palette import urwid_color, urwid_settings

Source: TypeAlias = Callable[[int], Sequence[Row[Any]]]
"""Returns the rows for a width in cells; none may be wider."""


RUNS = 40
"""The most runs of a row that is cached: longer rows are images, which take some 40 kB each."""


class RowCanvas(urwid.Canvas):
    """Full-width rows in the form that a terminal takes, so that a screen of them is a plain list and unchanged rows
    stay the same objects. `parts` are the canvases it was made of, each with its row."""

    def __init__(
        self,
        drawn: Sequence[ScreenRow],
        columns: int,
        cursor: tuple[int, int] | None = None,
        parts: Sequence[tuple[int, urwid.Canvas]] = (),
    ) -> None:
        super().__init__()
        self.drawn = drawn
        self.columns = columns
        self.cursor = cursor
        self.children = [(0, row, part, None) for row, part in parts]  # urwid's cache watches their widgets

    def rows(self) -> int:
        return len(self.drawn)

    def cols(self) -> int:
        return self.columns

    def content(
        self, trim_left: int = 0, trim_top: int = 0, cols: int | None = None, rows: int | None = None, attr: Any = None
    ) -> Iterator[Any]:
        end = len(self.drawn) if rows is None else trim_top + rows
        drawn = self.drawn if not trim_top and end >= len(self.drawn) else self.drawn[trim_top:end]
        if not trim_left and cols in (None, self.columns) and not attr:
            return iter(drawn)
        if not drawn:
            return iter(())
        texts = [b"".join(text for _, _, text in row) for row in drawn]
        attributes: Any = [[(style, len(text)) for style, _, text in row] for row in drawn]
        whole = urwid.TextCanvas(texts, attributes, maxcol=self.columns, check_width=False)
        return whole.content(trim_left, 0, self.columns - trim_left if cols is None else cols, len(drawn), attr)


def canvas(rows: Sequence[Row[Any]], columns: int, cursor: tuple[int, int] | None = None) -> RowCanvas:
    """Return the rows as a canvas, padded to `columns` cells; `cursor` is column and row.

    A style is the name of a theme token, None, or an `Sgr`. If the last run of a row has no text, its style colours the
    rest of the row: `("user_bubble", "")` draws a band.
    """
    return RowCanvas([(_kept if len(row) <= RUNS else _drawn)(tuple(row), columns) for row in rows], columns, cursor)


@lru_cache(maxsize=2048)
def _kept(row: tuple[Run[Any], ...], columns: int) -> ScreenRow:
    """Cached `_drawn`: content that grows is drawn often, and most of its rows stay the same."""
    return _drawn(row, columns)


def _drawn(row: tuple[Run[Any], ...], columns: int) -> ScreenRow:
    """Return a full-width row."""
    used = 0
    drawn: ScreenRow = []
    for style, text in row:
        if text:
            drawn.append((attribute_of(style), None, text.encode()))
            used += width(text)
    if used < columns:
        band = attribute_of(row[-1][0]) if row and not row[-1][1] else None
        drawn.append((band, None, b" " * (columns - used)))
    return drawn


def rows_of(whole: urwid.Canvas) -> Sequence[ScreenRow]:
    """Return the rows of any canvas."""
    return whole.drawn if isinstance(whole, RowCanvas) else cast("list[ScreenRow]", list(whole.content()))


def column(parts: Iterable[urwid.Canvas], columns: int) -> RowCanvas:
    """Stack canvases of the same width; the cursor is that of the last canvas that has one."""
    drawn: list[ScreenRow] = []
    cursor: tuple[int, int] | None = None
    placed: list[tuple[int, urwid.Canvas]] = []
    for part in parts:
        placed.append((len(drawn), part))
        if part.cursor is not None:
            cursor = part.cursor[0], part.cursor[1] + len(drawn)
        drawn += rows_of(part)
    return RowCanvas(drawn, columns, cursor, placed)


def cut(whole: urwid.Canvas, first: int, count: int) -> RowCanvas:
    """Return `count` rows of a canvas from `first` on, padded with empty rows. A cursor outside them is lost."""
    drawn = rows_of(whole)[first : first + count]
    if len(drawn) < count:
        drawn = [*drawn, *blank(whole.cols(), count - len(drawn)).drawn]
    cursor = None if whole.cursor is None else (whole.cursor[0], whole.cursor[1] - first)
    seen = cursor is not None and 0 <= cursor[1] < count
    return RowCanvas(drawn, whole.cols(), cursor if seen else None, [(-first, whole)])


def blank(columns: int, count: int) -> RowCanvas:
    """Return `count` empty rows."""
    return RowCanvas([_blank(columns)] * count, columns)


@lru_cache(maxsize=64)
def _blank(columns: int) -> ScreenRow:
    return [(None, None, b" " * columns)]


@lru_cache(maxsize=4096)
def attribute_of(style: Hashable) -> Hashable:
    """Return the urwid attribute for a style: tokens are in the palette under their names."""
    if isinstance(style, Over):  # the screen knows whether it has bands
        return style._replace(style=attribute_of(style.style))
    if not isinstance(style, Sgr):
        return style
    foreground = ",".join([urwid_color(style.foreground), *urwid_settings(style.attributes)])
    background = urwid_color(style.background)
    # With true colours urwid turns an indexed colour into RGB, but kitty identifies an image by the index.
    return urwid.AttrSpec(foreground, background, colors=16777216 if "#" in foreground + background else 256)


class Rows(urwid.Widget):
    """Draws the rows that `source` returns for a width; `changed` makes it ask again. Takes no keys."""

    _sizing = frozenset([urwid.FLOW])
    _selectable = False

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._columns = 0
        self._rows: Sequence[Row[Any]] | None = None

    def changed(self) -> None:
        """Ask the source again: its rows are different now."""
        self._rows = None
        self._invalidate()

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        return len(self._at(size[0]))

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        return canvas(self._at(size[0]), size[0])

    def _at(self, columns: int) -> Sequence[Row[Any]]:
        if self._rows is None or columns != self._columns:
            self._columns, self._rows = columns, self._source(columns)
        return self._rows


def lay_over(below: urwid.Canvas, above: RowCanvas, column: int, row: int) -> RowCanvas:
    """Return `below` with `above` from a cell on. What is outside of `below` is left out. The cursor is that of
    `above`, else that of `below` where nothing is over it. Half of a wide character at an edge becomes a blank."""
    columns, drawn = below.cols(), [*rows_of(below)]
    cells = min(above.columns, columns - column)
    for at, upper in enumerate(above.drawn, row):
        if 0 <= at < len(drawn) and cells > 0:
            shown = upper if cells == above.columns else _cells(upper, 0, cells)
            drawn[at] = [*_cells(drawn[at], 0, column), *shown, *_cells(drawn[at], column + cells, columns)]
    cursor = below.cursor
    if cursor is not None and column <= cursor[0] < column + cells and row <= cursor[1] < row + len(above.drawn):
        cursor = None
    if above.cursor is not None:
        cursor = above.cursor[0] + column, above.cursor[1] + row
        cursor = cursor if cursor[0] < columns and 0 <= cursor[1] < len(drawn) else None
    return RowCanvas(drawn, columns, cursor, [(0, below), (row, above)])


def _cells(row: ScreenRow, first: int, end: int) -> Iterator[tuple[Hashable, None, bytes]]:
    """Yield the parts of a row from cell `first` to cell `end`."""
    at = 0
    for style, charset, encoded in row:
        if at >= end:
            return
        text = encoded.decode()
        cells = width(text)
        if at + cells > first:
            shown = text if at >= first else _without(text, first - at)
            room = end - max(at, first)
            if width(shown) > room:
                shown = split_at(shown, room)[0]
                shown += " " * (room - width(shown))
            yield style, charset, shown.encode()
        at += cells


def _without(text: str, cells: int) -> str:
    """Return the text after `cells` cells."""
    head, rest = split_at(text, cells)
    if width(head) == cells:
        return rest
    broken, rest = split_at(rest, 2)  # a wide character that begins before and ends after
    return " " * (width(head) + width(broken) - cells) + rest
