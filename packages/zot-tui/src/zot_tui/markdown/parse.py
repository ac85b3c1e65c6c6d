"""`parse`: the leaves of a markdown text by markdown-it's block parser, which is imported on first use.

It also returns the lines from which a longer text can be parsed, so that growing text is not parsed from its beginning.
Parsing from such a line gives the same leaves as parsing the whole text. Link reference definitions are not supported,
because one at the end of an answer would change text that was drawn long before; they stay readable text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from zot_tui.markdown.leaves import Leaf, LeafKind, Margin
from zot_tui.text.runs import Row
from zot_tui.text.width import Align

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.parser_block import RuleFuncBlockType
    from markdown_it.token import Token

PIECE_LINES = 40  # most lines of a leaf of code or of a table; longer ones become several leaves
PIECE_SIZE = 4096  # a leaf with this many characters ends with the line
DEPTH = 24  # most nested quotes, lists and items; deeper ones are text
COLUMNS = 64  # most columns of a table; a wider table is text

_LOOSE: frozenset[LeafKind] = frozenset(("heading", "code", "html", "table", "rule"))
_KINDS: dict[str, LeafKind] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "table_open": "table",
    "hr": "rule",
}
_LEAD = {"fence": 1, "table_open": 2}  # lines above the content
_ALIGNS: dict[object, Align] = {"text-align:right": "right", "text-align:center": "center"}


@dataclass(slots=True)
class Cut:
    """A line from which the text can be parsed, and what the text above contributes.

    `line` is its index, and `leaves` the number of leaves above. `header` are the lines that begin the block which the
    line is in: they are parsed again before it, and their leaf or list item is dropped.
    """

    line: int = 0
    leaves: int = 0
    header: Sequence[str] = ()
    number: int | None = None  # of the list item that begins at the line, None if none does
    inside: bool = False  # the line is within a leaf
    kind: LeafKind | None = None  # of the leaf above
    gap: int = 0  # lines between the leaf above and this one
    parted: bool = False  # an empty line ends the block above, whatever follows


def parse(lines: Sequence[str], start: Cut) -> tuple[list[Leaf], list[Cut]]:
    """Return the leaves of the lines, which follow the cut `start`, and the places at which the text can be cut."""
    text = "\n".join([*start.header, *lines, ""])
    walk = _Walk(lines, start)
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(text, parser, {}, tokens)
    if start.number is not None:
        del tokens[1:6]  # the item of the header
    for index, token in enumerate(tokens):
        walk.take(token, tokens, index)
    return walk.leaves, walk.cuts


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt, rules_block  # noqa: PLC0415  takes 60 ms, and the first screen has no answer

    def limited(rule: "RuleFuncBlockType") -> "RuleFuncBlockType":
        return lambda state, begin, end, silent: state.level < DEPTH and rule(state, begin, end, silent)

    def narrow(rule: "RuleFuncBlockType") -> "RuleFuncBlockType":
        return lambda state, begin, end, silent: (
            rule(state, begin, end, True)
            and state.getLines(begin + 1, begin + 2, 0, False).count("|") <= COLUMNS + 1
            and (silent or rule(state, begin, end, False))
        )

    parser = MarkdownIt("commonmark", {"maxNesting": 4 * DEPTH}).enable("table").disable("reference")
    parser.block.ruler.at("blockquote", limited(rules_block.blockquote), {"alt": ["paragraph", "blockquote", "list"]})
    parser.block.ruler.at("list", limited(rules_block.list_block), {"alt": ["paragraph", "blockquote"]})
    parser.block.ruler.at("table", narrow(rules_block.table), {"alt": ["paragraph"]})
    return parser


@dataclass(slots=True, eq=False)
class _Container:
    """An open quote, or an open list item with its marker."""

    label: str = ""
    drawn: bool = False


@dataclass(slots=True)
class _List:
    """An open list: its sign, and the number of its next item."""

    sign: str
    number: int = 0


class _Walk:
    """Collects leaves and cuts from the tokens of a text."""

    def __init__(self, lines: Sequence[str], start: Cut) -> None:
        self.leaves: list[Leaf] = []
        self.cuts: list[Cut] = []
        self._lines = lines
        self._start = start
        self._open: list[_Container] = []
        self._lists: list[_List] = []
        self._path: list[_Container] = []  # the containers of the last leaf
        self._kind = start.kind
        self._end = -start.gap  # the line after the last leaf
        self._begun: int | None = None  # the line where the containers without a leaf begin

    def take(self, token: "Token", tokens: "Sequence[Token]", index: int) -> None:
        """Take the next token."""
        kind = token.type
        if kind in _KINDS:
            self._leaf(token, tokens, index)
        elif kind in ("bullet_list_open", "ordered_list_open"):
            number = self._start.number if not index else None
            begin = token.attrGet("start")
            self._lists.append(
                _List(token.markup, number if number is not None else 1 if begin is None else int(begin))
            )
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._item(token)
        elif kind == "blockquote_open":
            self._contain(token, _Container())
        elif kind in ("list_item_close", "blockquote_close"):
            if self._open[-1].label and not self._open[-1].drawn:  # an item without content
                self._begin("paragraph", self._begun or 0, (self._begun or 0) + 1)
            self._open.pop()
            self._begun = self._begun if self._open else None

    def _line(self, token: "Token") -> tuple[int, int]:
        """Return the lines where the block of a token begins and ends."""
        begin, end = token.map or (0, 0)
        return begin - len(self._start.header), end - len(self._start.header)

    def _item(self, token: "Token") -> None:
        current = self._lists[-1]
        sign, number = current.sign, current.number
        numbered = sign in ".)"
        label = f"{number}{sign} " if numbered else "•◦▪"[min(len(self._lists) - 1, 2)] + " "
        if token.level == 1:
            first = self._line(token)[0]
            header = f"   {1 if numbered else ''}{sign}    x"  # an item in which no other item of the list can be
            self._cut(first, (header,), number=number)
        current.number += 1
        self._contain(token, _Container(label))

    def _contain(self, token: "Token", container: _Container) -> None:
        if token.level == 0:
            self._cut(self._line(token)[0], ())
        if self._begun is None:
            self._begun = self._line(token)[0]
        self._open.append(container)

    def _cut(self, line: int, header: Sequence[str], *, number: int | None = None, inside: bool = False) -> None:
        if line <= 0:
            return
        gap = line - self._end
        parted = gap > 0 and not header and not self._path and not self._lines[line].startswith((" ", "\t"))
        self.cuts.append(Cut(line, len(self.leaves), header, number, inside, self._kind, gap, parted))

    def _leaf(self, token: "Token", tokens: "Sequence[Token]", index: int) -> None:
        begin, end = self._line(token)
        kind = _KINDS[token.type]
        resumed = self._start.inside and not index
        if token.level == 0 and not resumed:
            self._cut(begin, ())
        if kind == "table":
            head, aligns, rows = _table(tokens, index)
            sizes = [sum(map(len, row)) for row in rows]
        else:
            content = tokens[index + 1].content if token.nesting else token.content
            lines = content.removesuffix("\n").split("\n") if content else []
            if resumed and token.type != "fence":
                del lines[0]
            sizes = [*map(len, lines)]
        header = self._start.header if resumed else self._header(token, begin)
        first = begin + _LEAD.get(token.type, resumed)
        for start, stop in _pieces(sizes, PIECE_LINES if kind not in ("paragraph", "heading") else len(sizes)):
            continues = bool(start) or resumed
            if start and token.level == 0:
                self._cut(first + start, header, inside=True)
            last = stop == len(sizes)
            leaf = self._begin(kind if last or kind != "heading" else "paragraph", begin, end, above=not continues)
            leaf.continues = continues
            leaf.info = token.info.strip()
            leaf.level = int(token.tag[1]) if leaf.kind == "heading" else 0
            if kind == "table":
                leaf.head, leaf.aligns, leaf.rows = head, aligns, rows[start:stop]
            else:
                leaf.lines = lines[start:stop]
            self._end = end if last else first + stop

    def _header(self, token: "Token", begin: int) -> Sequence[str]:
        """Return the lines that make the following lines of the leaf be read as lines of the same leaf."""
        if token.type in ("fence", "html_block", "table_open"):
            return self._lines[begin : begin + _LEAD.get(token.type, 1)]
        return ("    x",) if token.type == "code_block" else ("x",)

    def _begin(self, kind: LeafKind, begin: int, end: int, *, above: bool = True) -> Leaf:
        """Begin a leaf in the open containers."""
        margin = Margin(quoted=any(not each.label for each in self._open))
        bars: Row[str] = []
        for index, container in enumerate(self._open):
            shared = index == len(bars) and index < len(self._path) and self._path[index] is container
            style = "markdown.bullet" if container.label else "markdown.quote"
            cells = " " * len(container.label) or "▎ "
            margin.first.append((style, cells if container.drawn or not container.label else container.label))
            margin.rest.append((style, cells))
            if shared:
                bars.append((style, cells))
            container.drawn = True
        begin = begin if self._begun is None else self._begun
        if above and self._kind and (begin > self._end or kind in _LOOSE or self._kind in _LOOSE):
            margin.above = bars
        self._kind, self._path, self._begun, self._end = kind, [*self._open], None, end
        leaf = Leaf(kind, margin)
        self.leaves.append(leaf)
        return leaf


def _pieces(sizes: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return where the pieces of a leaf begin and end, given the sizes of its lines; at least one piece."""
    starts, size = [0], 0
    for index, each in enumerate(sizes):
        if index > starts[-1] and (index - starts[-1] >= most or size >= PIECE_SIZE):
            starts.append(index)
            size = 0
        size += each + 1
    return [*zip(starts, [*starts[1:], len(sizes)], strict=True)]


def _table(tokens: "Sequence[Token]", index: int) -> tuple[list[str], list[Align], list[list[str]]]:
    """Return the head of the table that begins at `index`, its alignment, and its rows."""
    aligns: list[Align] = []
    rows: list[list[str]] = []
    while (token := tokens[index]).type != "table_close":
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            aligns.append(_ALIGNS.get(token.attrGet("style"), "left"))
        elif token.type == "inline":
            rows[-1].append(token.content)
        index += 1
    return rows[0], aligns, rows[1:]
