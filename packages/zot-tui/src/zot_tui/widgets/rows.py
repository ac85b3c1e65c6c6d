"""`Rows`: the one bridge from rows of styled runs to urwid; every widget here draws through it."""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import Row
from zot_tui.text.width import width
from zot_tui.theme.palette import urwid_color, urwid_settings
from zot_tui.urwid_parts import urwid

Source: TypeAlias = Callable[[int], Sequence[Row[Any]]]
"""Gives the rows for a width in cells; none may be wider."""


def canvas(rows: Sequence[Row[Any]], columns: int, cursor: tuple[int, int] | None = None) -> urwid.TextCanvas:
    """The rows, padded to `columns` cells; `cursor` is column and row.

    A style is the name of a theme's token, None, or an `Sgr`. The last run of a row colours what is left of it if its
    text is empty: `("user_bubble", "")` draws a band.
    """
    texts: list[bytes] = []
    attributes: list[list[tuple[Hashable, int]]] = []
    for row in rows:
        text = b""
        attribute: list[tuple[Hashable, int]] = []
        used = 0
        for style, piece in row:
            data = piece.encode()
            text += data
            used += width(piece)
            if data:
                attribute.append((attribute_of(style), len(data)))
        rest = columns - used
        if rest > 0:
            text += b" " * rest
            band = bool(row) and not row[-1][1]
            attribute.append((attribute_of(row[-1][0]) if band else None, rest))
        texts.append(text)
        attributes.append(attribute)
    return urwid.TextCanvas(texts, attributes, cursor=cursor, maxcol=columns, check_width=False)


@lru_cache(maxsize=4096)
def attribute_of(style: Hashable) -> Hashable:
    """What urwid takes for a style: tokens stand in its palette under their names."""
    if not isinstance(style, Sgr):
        return style
    foreground = ",".join([urwid_color(style.foreground), *urwid_settings(style.attributes)])
    return urwid.AttrSpec(foreground, urwid_color(style.background), colors=16777216)


class Rows(urwid.Widget):
    """Draws what `source` gives for the width at hand; `changed` has it asked again. Takes no keys."""

    _sizing = frozenset([urwid.FLOW])
    _selectable = False

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._columns = 0
        self._rows: Sequence[Row[Any]] | None = None

    def changed(self) -> None:
        """The source would give something else now."""
        self._rows = None
        self._invalidate()

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        """How many rows it takes."""
        return len(self._at(size[0]))

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        return canvas(self._at(size[0]), size[0])

    def _at(self, columns: int) -> Sequence[Row[Any]]:
        if self._rows is None or columns != self._columns:
            self._columns, self._rows = columns, self._source(columns)
        return self._rows
