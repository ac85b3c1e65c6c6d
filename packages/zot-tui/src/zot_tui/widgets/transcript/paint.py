"""`Painter`: another program that draws parts of cells in place of the cells themselves. No urwid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from zot_tui.text.runs import Row


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
