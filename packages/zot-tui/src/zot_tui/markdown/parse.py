"""`parse`: the leaves of a markdown text by markdown-it's block parser, which is imported on first use.

It also returns a cut: a line from which a longer text can be parsed, with short lines that open the same quotes, items
and leaf again. So growing text is not parsed from its beginning. Parsing from a cut gives the same leaves as parsing
the whole text. Link reference definitions are not supported, because one at the end of an answer would change text
that was drawn long before; they stay readable text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from markdown_it.token import Token

from zot_tui.markdown.leaves import Leaf, LeafKind, Margin
from zot_tui.text.runs import Row
from zot_tui.text.width import Align

PIECE_LINES = 40  # most lines of a leaf of code or of a table; longer ones become several leaves
PIECE_SIZE = 4096  # most characters of a line and of a leaf; longer ones become several

_LOOSE: frozenset[LeafKind] = frozenset(("heading", "code", "html", "table", "rule"))
_KINDS: Mapping[str, LeafKind] = {
    "paragraph": "paragraph",
    "heading": "heading",
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "table_open": "table",
    "hr": "rule",
}
_LIST_OPEN, _LIST_CLOSE = ("bullet_list_open", "ordered_list_open"), ("bullet_list_close", "ordered_list_close")
_BEGIN = frozenset((*_KINDS, *_LIST_OPEN, "list_item_open", "blockquote_open"))
_LEAD = {"fence": 1, "table_open": 2}  # lines above the content
_ALIGNS: Mapping[object, Align] = {"text-align:right": "right", "text-align:center": "center"}

_List: TypeAlias = tuple[str, int]  # the sign of a list, and the number of its next item


@dataclass(slots=True, eq=False)
class _Container:
    """An open quote, or an open list item with its marker.

    `rest` are the marks on the rows of its leaves, with the marks of the containers around it, but without its marker.
    `opening` is the line that opens it, as far as its text.
    """

    label: str = ""
    rest: Row[str] = field(default_factory=list)
    quoted: bool = False
    opening: str = ""
    drawn: bool = False


@dataclass(slots=True)
class _Part:
    """The beginning of a leaf, or of a later piece of one: its marks, and what is above a cut.

    `bars` is the empty row above a leaf that is `apart` or that is not only text; None if there is no leaf above.
    """

    first: Row[str]
    rest: Row[str]
    quoted: bool
    bars: Row[str] | None
    apart: bool
    continues: bool
    lines: Sequence[str] = ()
    rows: Sequence[list[str]] = ()


@dataclass(slots=True)
class Cut:
    """A line from which the text can be parsed, and what the text above contributes.

    `line` is its index, and `leaves` the number of leaves above. `header` are the lines that are parsed before it: they
    open the containers around it, and the list or leaf that it continues.
    """

    line: int = 0
    leaves: int = 0
    header: Sequence[str] = ()
    containers: tuple[_Container, ...] = ()
    lists: tuple[_List, ...] = ()
    kind: LeafKind | None = None  # of the leaf above
    gap: int = 0  # lines between the leaf above and this one
    part: _Part | None = None  # of the leaf that the line is in


def parse(lines: Sequence[str], start: Cut, ended: int) -> tuple[list[Leaf], Cut | None]:
    """Return the leaves of the lines, which follow the cut `start`, and the last later cut.

    `ended` is the number of lines that do not grow any more. A cut and the line after it are among these: they decide
    whether the block above has ended, and together they may make a table.
    """
    from zot_tui.markdown import rules  # noqa: PLC0415  takes 60 ms, and the first screen has no answer

    text = [*start.header, *lines]
    walk = _Walk(text, start, len(start.header) + ended)
    walk.take(rules.tokens("\n".join([*text, ""])))
    return walk.leaves, walk.cut


class _Walk:
    """Collects the leaves of a text from its tokens, and finds the last cut. Lines are counted from the header."""

    def __init__(self, lines: Sequence[str], start: Cut, ended: int) -> None:
        self.leaves: list[Leaf] = []
        self.cut: Cut | None = None
        self._lines = lines
        self._start = start
        self._lead = len(start.header)
        self._last = ended - 2  # the last line that a cut may have
        self._open: tuple[_Container, ...] = ()
        self._lists: tuple[_List, ...] = ()
        self._path = start.containers  # the containers of the last leaf
        self._kind = start.kind
        self._end = self._lead - start.gap  # the line after the last leaf
        self._begun: int | None = None  # the line where the containers without a leaf begin

    def take(self, tokens: Sequence[Token]) -> None:
        cut, last = self._places(tokens)
        if cut < 0 < self._last:
            self._cut(self._last, [])  # only empty lines
        for index, token in enumerate(tokens):
            if index == cut:
                self._cut_before(token)
            kind = token.type
            if kind in _KINDS:
                self._leaf(token, tokens, index, last=index == last)
            elif kind == "list_item_open":
                self._enter_item(token)
            elif kind in ("list_item_close", "blockquote_close"):
                self._leave()
            elif kind == "blockquote_open":
                self._enter(token, "")
            elif kind in _LIST_OPEN:
                self._enter_list(token)
            elif kind in _LIST_CLOSE:
                self._lists = self._lists[:-1]

    def _places(self, tokens: Sequence[Token]) -> tuple[int, int]:
        """Return the indexes of the token before which to cut, and of the leaf that may be cut; -1 for no token."""
        last = len(tokens) - 1
        while last >= 0 and (tokens[last].type not in _BEGIN or _begin(tokens[last]) > self._last):
            if tokens[last].type in _BEGIN and self._is_parted(tokens, last):
                return last, -1
            last -= 1
        cut = last
        while cut > 0 and tokens[cut - 1].type in _BEGIN and tokens[cut - 1].type not in _KINDS:
            cut -= 1  # a container without a leaf above this one
        return cut, last

    def _is_parted(self, tokens: Sequence[Token], index: int) -> bool:
        """Whether an empty line has ended the block above, whatever follows: it is no list, and not indented code."""
        token, above = tokens[index], tokens[index - 1] if index else None
        if above is None or above.level or token.level or above.type in (*_LIST_CLOSE, "blockquote_close"):
            return False
        line = _begin(token)
        return line > self._lead and not self._lines[line - 1].strip(" \t") and self._lines[line][0] not in " \t"

    def _cut_before(self, token: Token) -> None:
        line = _begin(token)
        if line > self._lead:
            # The item that is put above a further item of a list is indented so far that it cannot contain it.
            text = [self._opening(token).rstrip(" \t") + "    #"] if token.type == "list_item_open" else []
            self._cut(line, _header(self._open, text))

    def _cut(self, line: int, header: Sequence[str], part: _Part | None = None) -> None:
        gap = line - self._end
        leaves = len(self.leaves)
        self.cut = Cut(line - self._lead, leaves, header, self._open, self._lists, self._kind, gap, part)

    def _opening(self, token: Token) -> str:
        """Return the line that opens a quote or an item, as far as its text."""
        found = token.meta.get("opening")
        return found if found is not None else self._lines[_begin(token)].rstrip(" \t") + " "

    def _enter_list(self, token: Token) -> None:
        known, depth = self._start.lists, len(self._lists)
        if _begin(token) < self._lead and depth < len(known):
            self._lists += (known[depth],)
        else:
            number = token.attrGet("start")
            self._lists += ((token.markup, 1 if number is None else int(number)),)

    def _enter_item(self, token: Token) -> None:
        sign, number = self._lists[-1]
        self._enter(token, f"{number}{sign} " if sign in ".)" else "•◦▪"[min(len(self._lists) - 1, 2)] + " ")
        if _begin(token) >= self._lead:
            self._lists = (*self._lists[:-1], (sign, number + 1))

    def _enter(self, token: Token, label: str) -> None:
        line = _begin(token)
        known, depth = self._start.containers, len(self._open)
        if line < self._lead:
            self._open += (known[depth] if depth < len(known) else _Container(drawn=True),)
            return
        if self._begun is None:
            self._begun = line
        around = self._open[-1] if depth else _Container()
        cells = ("markdown.bullet", " " * len(label)) if label else ("markdown.quote", "▎ ")
        quoted = around.quoted or not label
        self._open += (_Container(label, [*around.rest, cells], quoted, self._opening(token)),)

    def _leave(self) -> None:
        """Leave a quote or an item; without content it has an empty leaf."""
        if not self._open[-1].drawn:
            line = self._begun or 0
            self._add(Leaf("paragraph", Margin()), self._part(line), line + 1)
        self._open = self._open[:-1]

    def _leaf(self, token: Token, tokens: Sequence[Token], index: int, *, last: bool) -> None:
        begin, end = token.map or (0, 0)
        lead = _LEAD.get(token.type) or 1
        resumed = self._start.part if begin + lead == self._lead else None
        if begin < self._lead and resumed is None:
            return
        kind = _KINDS[token.type]
        lines, first = _content(tokens, index), begin + _LEAD.get(token.type, 0)
        head, aligns, rows = _table(tokens, index) if kind == "table" else ([], [], [])
        if resumed is not None:
            lines = [*resumed.lines, *lines[token.type != "fence" :]]
            rows = [*resumed.rows, *rows]
            first = self._lead - len(resumed.lines) - len(resumed.rows)
        level = int(token.tag[1]) if kind == "heading" else 0
        sizes = [sum(map(len, row)) for row in rows] if kind == "table" else [*map(len, lines)]
        cut = min(self._last, first + len(sizes) - 1) if last else -1  # the line of a cut in the leaf
        for start, stop in _pieces(sizes, len(sizes) if kind in ("paragraph", "heading") else PIECE_LINES):
            part = resumed if resumed is not None and not start else self._part(begin, continues=start > 0)
            if max(first + start, begin + 1, self._lead + 1) <= cut < first + stop:
                above = replace(part, lines=lines[start : cut - first], rows=rows[start : cut - first])
                self._cut(cut, self._header_of(token) if resumed is None else self._start.header, above)
            leaf = Leaf(kind, Margin(), lines[start:stop], level, token.info.strip(), head, aligns, rows[start:stop])
            self._add(leaf, part, end if stop == len(sizes) else first + stop)
        if last and max(end, self._lead + 1) <= self._last and token.type != "code_block":
            self._cut(self._last, _header(self._open))  # only empty lines follow, and none of them is of the leaf

    def _part(self, begin: int, *, continues: bool = False) -> _Part:
        """Begin a leaf, or a later piece of one, in the open containers."""
        inner = self._open[-1] if self._open else _Container(drawn=True)
        first = inner.rest
        if not inner.drawn:
            first = [*inner.rest]
            for index, container in enumerate(self._open):
                if not container.drawn and container.label:
                    first[index] = ("markdown.bullet", container.label)
                container.drawn = True
        shared: Row[str] = []
        for container, other in zip(self._open, self._path, strict=False):
            if container is not other:
                break
            shared = container.rest
        apart = (begin if self._begun is None else self._begun) > self._end or self._kind in _LOOSE
        bars = None if continues or self._kind is None else shared
        self._path, self._begun = self._open, None
        return _Part(first, inner.rest, inner.quoted, bars, apart, continues)

    def _add(self, leaf: Leaf, part: _Part, end: int) -> None:
        """Add a leaf that ends before the line `end`."""
        above = part.bars if part.apart or leaf.kind in _LOOSE else None
        leaf.margin = Margin(part.first, part.rest, above, part.quoted)
        leaf.continues = part.continues
        self.leaves.append(leaf)
        self._kind, self._end = leaf.kind, end

    def _header_of(self, token: Token) -> Sequence[str]:
        """Return lines after which the following ones are read as lines of the leaf."""
        if _KINDS[token.type] in ("paragraph", "heading"):
            return _header(self._open, end="x")
        return _header(self._open, self._lines[_begin(token) :][: _LEAD.get(token.type) or 1])


def _begin(token: Token) -> int:
    """Return the line where the block of a token begins."""
    return token.map[0] if token.map else 0


def _header(containers: Sequence[_Container], text: Sequence[str] = (), end: str = "") -> Sequence[str]:
    """Return lines that open the containers, and then the lines of `text`, or a line that ends in `end`.

    A line that only opens containers ends in an empty heading, which no further line can continue.
    """
    lines: list[str] = []
    line = ""
    item = False  # whether `line` ends with the marker of an item
    for container in containers:
        opening = container.opening
        around, inner = opening[: len(line)], opening[len(line) :]
        if around == line or (item and around.isspace() and inner[:1] not in " \t"):  # they can be on one line
            line += inner
        else:
            lines.append(line + "#")
            line = opening
        item = bool(container.label)
    if not text:
        line += end or ("#" if containers else "")
        return [*lines, line] if line else lines
    if line and not text[0].startswith(line):
        lines.append(line + "#")
    return [*lines, *text]


def _content(tokens: Sequence[Token], index: int) -> list[str]:
    """Return the lines of text of the leaf that begins at `index`."""
    content = tokens[index + 1].content if tokens[index].nesting else tokens[index].content
    return content.removesuffix("\n").split("\n") if content else []


def _pieces(sizes: Sequence[int], most: int) -> Sequence[tuple[int, int]]:
    """Return where the pieces of a leaf begin and end, given the sizes of its lines; at least one piece."""
    if len(sizes) <= most and sum(sizes) + len(sizes) <= PIECE_SIZE:
        return [(0, len(sizes))]
    begins, size = [0], 0
    for index, each in enumerate(sizes):
        if index > begins[-1] and (index - begins[-1] >= most or size + each > PIECE_SIZE):
            begins.append(index)
            size = 0
        size += each + 1
    return [*zip(begins, [*begins[1:], len(sizes)], strict=True)]


def _table(tokens: Sequence[Token], index: int) -> tuple[list[str], list[Align], list[list[str]]]:
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
