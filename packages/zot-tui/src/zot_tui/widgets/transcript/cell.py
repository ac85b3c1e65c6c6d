"""`Cell`: one entry of a transcript, made of chunks; `Painter`: another program that draws parts of cells. No urwid.

A cell makes its chunks on demand and can drop them again, so the cost of a long transcript depends on what was viewed
lately. The owner of a cell changes it through its methods.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from zot_tui.text.runs import Row
from zot_tui.widgets.transcript.chunks import Chunk

if TYPE_CHECKING:
    from zot_tui.image.store import ImageStore


@dataclass(slots=True)
class PaintedItem:
    """The subject of a part, for the painter alone: an id, the arguments of a call as JSON text, and the content of a
    result, a message or an entry. If it has an `owner`, nobody else draws it."""

    id: str
    arguments: str = ""
    content: Any = ()
    owner: str = ""


@dataclass(slots=True)
class Part:
    """A part of a cell: its `kind` and `name`, as a painter knows them, and what it shows. `changed` must be called
    when there is another drawing of it. `output` is what a running call has written so far."""

    kind: str
    name: str
    item: PaintedItem
    expanded: bool
    state: str
    changed: Callable[[], None]
    output: str = ""


class Painter(Protocol):
    """Draws parts of cells."""

    def takes(self, kind: str, name: str, owner: str = "") -> bool:
        """Whether it draws these parts."""

    def knows(self, part: Part) -> bool:
        """Whether it has something to draw for a part; if that is not known yet, find out."""

    def hides(self, part: Part) -> bool:
        """Whether it is known to draw nothing for a part."""

    def paint(self, part: Part, width: int) -> Sequence[Row[Any]] | None:
        """Return the rows of a part in `width` cells; None to let the cell draw it, for now or for good."""


@dataclass(slots=True)
class CellStyle:
    """Settings shared by the cells of a transcript.

    `framed` draws a box around tool calls. `hint` is the label of the key that expands a cell. `shown` and `live` are
    the rows of a finished and of a running tool call, unless expanded. `frames` are the spinner's, one cell wide each.
    `gallery` returns the store of the screen's images; without it images are only captions. `painter` draws parts
    in place of the cells. `thinking` takes the place of the word before thoughts. `sides`: changes are drawn side by
    side, where they have room.
    """

    framed: bool = False
    hint: str = "ctrl+o"
    shown: int = 12
    live: int = 5
    frames: Sequence[str] = ("·", "•")
    gallery: "Callable[[], ImageStore] | None" = None
    painter: "Painter | None" = None
    thinking: str = ""
    sides: bool = False


class CellText(NamedTuple):
    """A text of a cell, for a search; `markdown`: how it is drawn."""

    text: str
    markdown: bool = False


class Cell:
    """An entry of a transcript. Subclasses create its chunks in `_make`.

    `chunks` only changes at its end, or as a whole when the cell is expanded, folded or changed otherwise. The same
    chunk object always draws the same rows.
    """

    __slots__ = ("_chunks", "_expanded", "_watcher")

    def __init__(self) -> None:
        self._expanded = False
        self._chunks: list[Chunk] | None = None
        self._watcher: Callable[[], None] | None = None

    @property
    def chunks(self) -> Sequence[Chunk]:
        """The chunks to draw, from top to bottom; empty if the cell shows nothing."""
        if self._chunks is None:
            self._chunks = self._make()
        return self._chunks

    @property
    def shows(self) -> bool:
        """Whether the cell has chunks; a subclass may know without making them."""
        return bool(self.chunks)

    @property
    def expanded(self) -> bool:
        """Whether the cell is expanded, so that it shows everything."""
        return self._expanded

    @expanded.setter
    def expanded(self, expanded: bool) -> None:
        if expanded != self._expanded:
            self._expanded = expanded
            self._changed()

    @property
    def live(self) -> bool:
        """Whether the cell may still change by itself."""
        return False

    @property
    def tight(self) -> bool:
        """Whether there is no empty row between this cell and a neighbour that is tight too."""
        return False

    @property
    def heading(self) -> str | None:
        """One line for `Transcript.headings`; None for a cell that is not a heading."""
        return None

    def texts(self) -> Iterator[CellText]:
        """Yield what the cell shows when it is expanded, without drawing it; nothing if it is not searched."""
        yield from ()

    def folds(self, width: int) -> bool:
        """Return whether expanding or folding makes a difference at a width of `width` cells."""
        return False

    def spin(self, frame: int) -> bool:
        """Show frame number `frame` of the spinner. Return False if the cell has no spinner."""
        return False

    def release(self) -> None:
        """Drop what can be made again."""
        if not self.live:
            self._chunks = None

    def restyle(self) -> None:
        """Make the chunks again, because `CellStyle` has changed."""
        self._chunks = None

    def watch(self, watcher: Callable[[], None] | None) -> None:
        """Call `watcher` after every change; None to stop."""
        self._watcher = watcher

    def _make(self) -> list[Chunk]:
        raise NotImplementedError

    def _changed(self) -> None:
        self._chunks = None
        self._notify()

    def _notify(self) -> None:
        if self._watcher is not None:
            self._watcher()


def with_image(caption: Chunk, data: str, style: CellStyle, changed: Callable[[], object], *, large: bool) -> Chunk:
    """Return the caption with the image in base64 `data` below it.

    The image appears when it is decoded; `changed` is called then. `large` allows it more of the screen.
    """
    gallery = style.gallery
    if gallery is None:
        return caption

    def rows(width: int) -> list[Row[Any]]:
        return [*caption.rows(width), *gallery().rows(data, width, changed, large=large)]

    return Chunk(rows, caption.lines, caption)
