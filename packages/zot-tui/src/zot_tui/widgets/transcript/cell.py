"""`Cell`: one entry of a transcript, as chunks. No urwid.

A cell makes its chunks when they are first asked for and can forget them again, so that a long transcript costs what was
looked at lately. Nothing here waits or decides: whoever owns a cell changes it through its methods.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zot_tui.widgets.transcript.chunks import Chunk

if TYPE_CHECKING:
    from zot_tui.image.gallery import ImageStore


@dataclass(slots=True)
class CellStyle:
    """What the cells of a transcript have in common.

    `framed` draws a box around tool calls, `hint` is the key that expands a cell as the person knows it, `shown` how
    many rows a finished tool call shows and `live` a running one, unless expanded. `frames` are the spinner's, one cell
    each. `gallery` gives the images of the screen when there is one to show; without it they are told in words.
    """

    framed: bool = False
    hint: str = "ctrl+o"
    shown: int = 12
    live: int = 5
    frames: Sequence[str] = ("·", "•")
    gallery: "Callable[[], ImageStore] | None" = None


class Cell:
    """An entry of a transcript. Subclasses say what its chunks are in `_make`.

    `chunks` never changes but at its end, or as a whole when the cell is expanded, folded or changed otherwise; a chunk
    that is the same object draws the same rows.
    """

    __slots__ = ("_chunks", "_expanded", "_watcher")

    def __init__(self) -> None:
        self._expanded = False
        self._chunks: list[Chunk] | None = None
        self._watcher: Callable[[], None] | None = None

    @property
    def chunks(self) -> Sequence[Chunk]:
        """What is drawn, from top to bottom; none if the cell shows nothing."""
        if self._chunks is None:
            self._chunks = self._make()
        return self._chunks

    @property
    def shows(self) -> bool:
        """Whether it has chunks: a subclass may know without making them."""
        return bool(self.chunks)

    @property
    def expanded(self) -> bool:
        """Whether it shows all it has."""
        return self._expanded

    @expanded.setter
    def expanded(self, expanded: bool) -> None:
        if expanded != self._expanded:
            self._expanded = expanded
            self._changed()

    @property
    def live(self) -> bool:
        """Whether it may still change by itself."""
        return False

    @property
    def tight(self) -> bool:
        """Whether no empty row chunks it from a neighbour that is tight too."""
        return False

    @property
    def heading(self) -> str | None:
        """What a list of turns calls it, one line; None for a cell that begins no turn."""
        return None

    def folds(self, width: int) -> bool:
        """Whether expanding or folding it makes a difference in `width` cells."""
        return False

    def spin(self, frame: int) -> bool:
        """Show the spinner's frame of this number, if it has one: whether it has."""
        return False

    def release(self) -> None:
        """Forget what can be made again."""
        if not self.live:
            self._chunks = None

    def renew(self) -> None:
        """Make the chunks anew: the look is different now."""
        self._chunks = None

    def watch(self, watcher: Callable[[], None] | None) -> None:
        """Have `watcher` called after each change."""
        self._watcher = watcher

    def _make(self) -> list[Chunk]:
        raise NotImplementedError

    def _changed(self) -> None:
        self._chunks = None
        self._tell()

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher()
