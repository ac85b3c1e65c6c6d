"""Leaves of a markdown text: the parts that contain no other part, and the marks left of them; pure."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

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
    """A block of one kind that contains no other block, or a piece of a long one.

    `lines` are its text; a table has `rows` of cells instead, and a rule has nothing. `continues` says whether it is
    a later piece of the same block as the leaf before.
    """

    kind: LeafKind
    margin: Margin
    lines: list[str] = field(default_factory=list)
    level: int = 0  # of a heading
    info: str = ""  # the words after the fence of code
    head: list[str] = field(default_factory=list)  # the cells of a table's head
    aligns: list[Align] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    continues: bool = False
