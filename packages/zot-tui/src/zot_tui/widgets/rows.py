"""`Rows` and `canvas`: the bridge from rows of styled runs to urwid, which every widget here draws through."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, cast

from zot_tui.terminal.frame import Drawn
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import Row, Run
from zot_tui.text.width import width
from zot_tui.theme.palette import urwid_color, urwid_settings

Source: TypeAlias = Callable[[int], Sequence[Row[Any]]]
"""Returns the rows for a width in cells; no row may be wider."""


CACHED_RUNS = 40
"""Most runs of a row that is cached: longer rows are images, and take some 40 kB each."""


class RowCanvas(urwid.Canvas):
    """Full-width rows in the form that the terminal output takes.

    A screen is a list of such rows, and unchanged rows stay the same objects. `parts` are the canvases it was made of.
    """

    def __init__(
        self,
        drawn: Sequence[Drawn],
        columns: int,
        cursor: tuple[int, int] | None = None,
        parts: Sequence[tuple[int, urwid.Canvas]] = (),
    ) -> None:
        super().__init__()
        self.drawn = drawn
        self.columns = columns
        self.cursor = cursor
        self.children = [(0, row, part, None) for row, part in parts]  # whose widgets urwid's cache watches

    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.drawn)

    def cols(self) -> int:
        """Return the width in cells."""
        return self.columns

    def content(
        self,
        trim_left: int = 0,
        trim_top: int = 0,
        cols: int | None = None,
        rows: int | None = None,
        attr: Any = None,
    ) -> Iterator[Any]:
        """See urwid."""
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
    """Return a canvas of the rows, padded to `columns` cells; `cursor` is column and row.

    A style is the name of a theme's token, None, or an `Sgr`. If the last run of a row has an empty text, its style
    fills the rest of the row: `("user_bubble", "")` draws a band.
    """
    return RowCanvas(
        [(_cached if len(row) <= CACHED_RUNS else _drawn)(tuple(row), columns) for row in rows], columns, cursor
    )


@lru_cache(maxsize=2048)
def _cached(row: tuple[Run[Any], ...], columns: int) -> Drawn:
    """Cached `_drawn`: growing text is drawn again and again, and most of its rows stay the same."""
    return _drawn(row, columns)


def _drawn(row: tuple[Run[Any], ...], columns: int) -> Drawn:
    """Return a row padded to its full width."""
    used = 0
    drawn: Drawn = []
    for style, text in row:
        if text:
            drawn.append((attribute_of(style), None, text.encode()))
            used += width(text)
    if used < columns:
        band = attribute_of(row[-1][0]) if row and not row[-1][1] else None
        drawn.append((band, None, b" " * (columns - used)))
    return drawn


def rows_of(whole: urwid.Canvas) -> Sequence[Drawn]:
    """Return the rows of any canvas."""
    return whole.drawn if isinstance(whole, RowCanvas) else cast("list[Drawn]", list(whole.content()))


def column(parts: Iterable[urwid.Canvas], columns: int) -> RowCanvas:
    """Return the canvases, all `columns` wide, one below the other, with the last cursor among them."""
    drawn: list[Drawn] = []
    cursor: tuple[int, int] | None = None
    placed: list[tuple[int, urwid.Canvas]] = []
    for part in parts:
        placed.append((len(drawn), part))
        if part.cursor is not None:
            cursor = part.cursor[0], part.cursor[1] + len(drawn)
        drawn += rows_of(part)
    return RowCanvas(drawn, columns, cursor, placed)


def cut(whole: urwid.Canvas, first: int, count: int) -> RowCanvas:
    """Return `count` rows of a canvas from `first` on, padded with empty rows. A cursor outside of them is dropped."""
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
def _blank(columns: int) -> Drawn:
    return [(None, None, b" " * columns)]


@lru_cache(maxsize=4096)
def attribute_of(style: Hashable) -> Hashable:
    """Return urwid's attribute for a style: tokens are in its palette by name, an `Sgr` becomes an `AttrSpec`."""
    if not isinstance(style, Sgr):
        return style
    foreground = ",".join([urwid_color(style.foreground), *urwid_settings(style.attributes)])
    background = urwid_color(style.background)
    # With true colours urwid converts indexed colours to RGB, but kitty identifies an image by the index.
    return urwid.AttrSpec(foreground, background, colors=16777216 if "#" in foreground + background else 256)


class Rows(urwid.Widget):
    """Draws the rows that `source` returns for the current width; `changed` asks it again. Takes no keys."""

    _sizing = frozenset([urwid.FLOW])
    _selectable = False

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._columns = 0
        self._rows: Sequence[Row[Any]] | None = None

    def changed(self) -> None:
        """Ask the source again at the next drawing."""
        self._rows = None
        self._invalidate()

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        return len(self._at(size[0]))

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        return canvas(self._at(size[0]), size[0])

    def _at(self, columns: int) -> Sequence[Row[Any]]:
        if self._rows is None or columns != self._columns:
            self._columns, self._rows = columns, self._source(columns)
        return self._rows
