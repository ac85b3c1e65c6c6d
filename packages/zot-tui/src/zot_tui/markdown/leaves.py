"""What a text in markdown is made of, as it is found line by line: leaves, and where they stand; pure."""

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from zot_tui.markdown.line import Fence
from zot_tui.text.runs import Row
from zot_tui.text.width import Align

LeafKind: TypeAlias = Literal["paragraph", "heading", "code", "html", "table", "rule"]


@dataclass(slots=True)
class Margin:
    """Where a leaf stands: what is drawn left of its first row, of its other rows, and of the empty row above it.

    `above` is None if no empty row parts it from what is above. `quoted` is whether it stands in a quote.
    """

    first: Row[str] = field(default_factory=list)
    rest: Row[str] = field(default_factory=list)
    above: Row[str] | None = None
    quoted: bool = False


@dataclass(slots=True)
class Leaf:
    """A stretch of text of one kind that holds no other.

    `lines` are its text: for a table its rows, for a rule none. `before` is the leaf that this one goes on, if the two
    are pieces of one: a long block of code, a long table.
    """

    kind: LeafKind
    margin: Margin
    lines: list[str] = field(default_factory=list)
    size: int = 0  # characters of the lines
    level: int = 0  # of a heading
    fence: Fence | None = None  # None for code that is indented
    ends: re.Pattern[str] | None = None  # of a block of HTML; None for an empty line
    head: list[str] = field(default_factory=list)  # the cells above a table
    aligns: list[Align] = field(default_factory=list)
    before: "Leaf | None" = None

    def add(self, line: str) -> None:
        """One more line."""
        self.lines.append(line)
        self.size += len(line) + 1

    def copy(self) -> "Leaf":
        """The same leaf, to which lines can be added without changing this one."""
        copied = Leaf(self.kind, self.margin, [*self.lines], self.size, self.level, self.fence, self.ends)
        copied.head, copied.aligns, copied.before = self.head, self.aligns, self.before
        return copied


@dataclass(slots=True)
class Quote:
    """An open quote."""


@dataclass(slots=True)
class ListItem:
    """An open item of a list. `indent` is how far its text stands to the right of the container's."""

    sign: str
    number: int
    indent: int
    empty: bool  # nothing has been found in it yet
    drawn: bool = False  # a leaf shows its marker

    def label(self, depth: int) -> str:
        """Its marker as it is drawn in a list within `depth` others."""
        if self.sign in ".)":
            return f"{self.number}{self.sign} "
        return "•◦▪"[min(depth, 2)] + " "


Container: TypeAlias = Quote | ListItem
