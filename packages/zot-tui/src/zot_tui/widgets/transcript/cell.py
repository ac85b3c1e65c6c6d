"""`Cell`: one entry of a transcript, made of chunks. No urwid.

A cell makes its chunks on demand and can drop them again, so the cost of a long transcript depends on what was viewed
lately. The owner of a cell changes it through its methods.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from zot_tui.widgets.transcript.chunks import Chunk

if TYPE_CHECKING:
    from zot_tui.image.store import ImageStore
    from zot_tui.widgets.transcript.paint import Painter


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
