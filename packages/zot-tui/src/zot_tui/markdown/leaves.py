"""The parts that a markdown text is parsed into line by line: leaves, and the containers around them; pure."""

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from zot_tui.markdown.line import Fence
from zot_tui.text.runs import Row
from zot_tui.text.width import Align

LeafKind: TypeAlias = Literal["paragraph", "heading", "code", "html", "table", "rule"]


@dataclass(slots=True)
class Margin:
    """The marks left of a leaf: on its first row, on its other rows, and on the empty row above it.

    `above` is None if there is no empty row above. `quoted` says whether the leaf is in a quote.
    """

    first: Row[str] = field(default_factory=list)
    rest: Row[str] = field(default_factory=list)
    above: Row[str] | None = None
    quoted: bool = False


@dataclass(slots=True)
class Leaf:
    """A block of one kind that contains no other block.

    `lines` are its text: the rows of a table, nothing for a rule. `before` is the leaf that this one continues, if both
    are pieces of a long code block or table.
    """

    kind: LeafKind
    margin: Margin
    lines: list[str] = field(default_factory=list)
    size: int = 0  # total characters of the lines
    level: int = 0  # of a heading
    fence: Fence | None = None  # None for indented code
    ends: re.Pattern[str] | None = None  # end of an HTML block; None for an empty line
    head: list[str] = field(default_factory=list)  # the cells of a table's head
    aligns: list[Align] = field(default_factory=list)
    before: "Leaf | None" = None

    def add(self, line: str) -> None:
        """Append a line."""
        self.lines.append(line)
        self.size += len(line) + 1

    def copy(self) -> "Leaf":
        """Return a copy to which lines can be added without changing this leaf."""
        copied = Leaf(self.kind, self.margin, [*self.lines], self.size, self.level, self.fence, self.ends)
        copied.head, copied.aligns, copied.before = self.head, self.aligns, self.before
        return copied


@dataclass(slots=True)
class Quote:
    """An open quote."""


@dataclass(slots=True)
class ListItem:
    """An open item of a list. `indent` is how far its text is to the right of the container's."""

    sign: str
    number: int
    indent: int
    empty: bool  # it has no content yet
    drawn: bool = False  # its marker has been drawn with a leaf

    def label(self, depth: int) -> str:
        """Return its marker as drawn in a list inside `depth` others."""
        if self.sign in ".)":
            return f"{self.number}{self.sign} "
        return "•◦▪"[min(depth, 2)] + " "


Container: TypeAlias = Quote | ListItem
