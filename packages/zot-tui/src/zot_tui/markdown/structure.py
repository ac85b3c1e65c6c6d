"""`Structure`: turns lines of markdown into leaves, reading each line once; pure.

This is the first phase of the parsing strategy in CommonMark's appendix: every line is matched against the open
containers (quotes, list items), may open others, and its rest is text of a leaf. Earlier lines are never read again, so
a text cut anywhere gives the same leaves as the whole. Link reference definitions are not supported, because one at the
end of an answer would change text that was drawn long before; they stay readable text.
"""

from dataclasses import replace

from zot_tui.markdown.leaves import Container, Leaf, LeafKind, ListItem, Margin, Quote
from zot_tui.markdown.line import (
    TAB,
    Marker,
    SourceLine,
    closes,
    delimiters,
    fence,
    heading,
    html,
    marker,
    rule,
    split_row,
    underline,
)
from zot_tui.text.runs import Row

PIECE_LINES = 40  # most lines of a leaf of code or of a table; longer ones become several leaves
PIECE_SIZE = 4096  # most characters of any leaf
DEPTH = 24  # most nested containers; deeper ones are text
COLUMNS = 64  # most columns of a table; a wider table is text

_LOOSE: frozenset[LeafKind] = frozenset(("heading", "code", "html", "table", "rule"))


class Structure:
    """The state between two lines. `done` are the complete leaves; `leaf` is the open leaf."""

    def __init__(self) -> None:
        self.done: list[Leaf] = []
        self.leaf: Leaf | None = None
        self._open: list[Container] = []
        self._parted = False  # there was an empty line above
        self._last: Leaf | None = None
        self._last_path: list[Container] = []
        self._emptied: tuple[int, ListItem] | None = None  # an item that an empty line ended, though not its list

    def copy(self) -> "Structure":
        """Return an independent copy of the state, with an empty `done`."""
        other = Structure()
        other.leaf = self.leaf.copy() if self.leaf is not None else None
        other._last = other.leaf or self._last
        copies = {id(each): replace(each) for each in self._open}
        other._open = [copies[id(each)] for each in self._open]
        other._last_path = [copies.get(id(each), each) for each in self._last_path]
        other._parted, other._emptied = self._parted, self._emptied
        return other

    def finish(self) -> None:
        """End the text."""
        self._close(0)
        self._end()

    def feed_more(self, text: str) -> None:
        """Take more of the line that was fed last, which was too long to be read as a whole."""
        leaf = self.leaf
        if leaf is not None and leaf.kind in ("paragraph", "code", "html"):
            self._grow(leaf, text)
        elif text.strip():
            self._end()
            self._begin("paragraph").add(text)

    def feed(self, text: str) -> None:
        """Take the next line, without its line break."""
        line = SourceLine(text)
        depth = self._matched(line)
        whole = depth == len(self._open)
        leaf = self.leaf if whole else None
        if leaf is not None and self._goes_on(leaf, line):
            return
        if line.blank:
            ended = self._open[depth] if depth < len(self._open) else None
            self._close(depth)
            self._end()
            self._parted = True
            if isinstance(ended, ListItem):
                self._emptied = depth, ended
            return
        opened = False
        while True:
            above = self.leaf if whole and not opened else None
            if not self._container(line, depth, above):
                break
            opened, depth = True, len(self._open)
        if self._starts_leaf(line, depth, above):
            return
        lazy = self.leaf if not opened else None
        if lazy is not None and lazy.kind == "paragraph":
            self._grow(lazy, line.rest.lstrip(" \t"), whole_line=True)
            return
        if above is not None and above.kind == "table":
            self._row(above, line.text)
            return
        self._close(depth)
        self._end()
        self._begin("paragraph").add(line.rest.lstrip(" \t"))

    def _matched(self, line: SourceLine) -> int:
        """Return how many of the open containers the line is in, and skip their marks."""
        for depth, container in enumerate(self._open):
            indent = line.indent
            if isinstance(container, Quote):
                if indent >= TAB or line.rest[indent : indent + 1] != ">":
                    return depth
                _skip_quote(line)
            elif line.blank:
                if container.empty:
                    return depth
                line.skip(min(indent, container.indent))
            elif indent >= container.indent:
                line.skip(container.indent)
            else:
                return depth
        return len(self._open)

    def _goes_on(self, leaf: Leaf, line: SourceLine) -> bool:
        """Add the line to the open leaf of code or HTML; False if the leaf ends here or is of another kind."""
        if leaf.kind == "code" and leaf.fence is not None:
            if closes(line, leaf.fence):
                self._end()
                return True
            line.skip(min(line.indent, leaf.fence.indent))
            self._grow(leaf, line.rest, whole_line=True)
            return True
        if leaf.kind == "code":
            if line.indent < TAB and not line.blank:
                return False
            line.skip(min(line.indent, TAB))
            self._grow(leaf, line.rest, whole_line=True)
            return True
        if leaf.kind == "html":
            if line.blank and leaf.ends is None:
                return False
            self._grow(leaf, line.rest, whole_line=True)
            if leaf.ends is not None and leaf.ends.search(line.rest):
                self._end()
            return True
        return False

    def _container(self, line: SourceLine, depth: int, above: Leaf | None) -> bool:
        """Open a quote or a list item if the line begins with one."""
        if line.indent >= TAB or depth >= DEPTH or line.blank:
            return False
        if line.rest[line.indent] == ">":
            self._close(depth)
            self._end()
            _skip_quote(line)
            self._open.append(Quote())
            return True
        found = marker(line)
        if found is None or rule(line):
            return False
        after = SourceLine(line.rest.lstrip(" ")[found.cells :])
        in_paragraph = above is not None and above.kind == "paragraph" and above.lines
        if in_paragraph and (after.blank or (found.sign in ".)" and found.number != 1)):
            return False
        number = found.number
        sibling = self._open[depth] if depth < len(self._open) else None
        if sibling is None and self._emptied is not None and self._emptied[0] == depth:
            sibling = self._emptied[1]
        if isinstance(sibling, ListItem) and sibling.sign == found.sign:
            number = sibling.number + 1
        self._close(depth)
        self._end()
        self._open.append(_item(line, found, number))
        return True

    def _starts_leaf(self, line: SourceLine, depth: int, above: Leaf | None) -> bool:
        """Begin a leaf other than a paragraph if the line does. `above` is the leaf that it would end."""
        if line.blank:  # after the marker of an item
            return True
        text = above if above is not None and above.kind == "paragraph" else None
        if line.indent >= TAB:
            if self.leaf is not None and self.leaf.kind == "paragraph":
                return False
            self._close(depth)
            self._end()
            line.skip(TAB)
            self._begin("code").add(line.rest)
            return True
        if text is not None and (self._table(text, line) or self._underlined(text, line)):
            return True
        return any(starts(line, depth) for starts in (self._heading, self._fence, self._html, self._rule))

    def _heading(self, line: SourceLine, depth: int) -> bool:
        found = heading(line)
        if found is None:
            return False
        self._close(depth)
        self._end()
        leaf = self._begin("heading")
        leaf.level = found[0]
        leaf.add(found[1])
        self._end()
        return True

    def _underlined(self, text: Leaf, line: SourceLine) -> bool:
        level = underline(line)
        if not level or not text.lines:
            return False
        text.kind, text.level = "heading", level
        self._end()
        return True

    def _fence(self, line: SourceLine, depth: int) -> bool:
        found = fence(line)
        if found is None:
            return False
        self._close(depth)
        self._end()
        self._begin("code").fence = found
        return True

    def _html(self, line: SourceLine, depth: int) -> bool:
        found = html(line)
        in_paragraph = self.leaf is not None and self.leaf.kind == "paragraph"
        if found is None or (in_paragraph and not found[1]):
            return False
        self._close(depth)
        self._end()
        leaf = self._begin("html")
        leaf.ends = found[0]
        leaf.add(line.rest)
        if leaf.ends is not None and leaf.ends.search(line.rest):
            self._end()
        return True

    def _rule(self, line: SourceLine, depth: int) -> bool:
        if not rule(line):
            return False
        self._close(depth)
        self._end()
        self._begin("rule")
        self._end()
        return True

    def _table(self, text: Leaf, line: SourceLine) -> bool:
        """Make the last line of the paragraph above the head of a table, if this line is its delimiter row."""
        aligns = delimiters(line) if text.lines and "|" in text.lines[-1] else None
        if not aligns or len(aligns) > COLUMNS:
            return False
        head = split_row(text.lines[-1])
        if len(head) != len(aligns):
            return False
        if len(text.lines) > 1:
            text.size -= len(text.lines.pop()) + 1
            self._end()
            self._begin("table")
        else:
            text.kind, text.lines, text.size = "table", [], 0
        if self.leaf is not None:
            self.leaf.head, self.leaf.aligns = head, aligns
        return True

    def _row(self, table: Leaf, text: str) -> None:
        if len(table.lines) >= PIECE_LINES or table.size >= PIECE_SIZE:
            table = self._piece(table)
        table.add(text)

    def _grow(self, leaf: Leaf, text: str, *, whole_line: bool = False) -> None:
        """Add a line to a leaf, or text to its last line; what is too long goes to a piece of its own."""
        full = len(leaf.lines) >= PIECE_LINES and leaf.kind != "paragraph" and whole_line
        if full or leaf.size >= PIECE_SIZE:
            leaf = self._piece(leaf)
        if whole_line or not leaf.lines:
            leaf.add(text)
        else:
            leaf.lines[-1] += text
            leaf.size += len(text)

    def _piece(self, leaf: Leaf) -> Leaf:
        """End a leaf and begin its continuation."""
        self._end()
        more = self._begin(leaf.kind, above=False)
        more.before, more.fence, more.ends, more.head, more.aligns = leaf, leaf.fence, leaf.ends, leaf.head, leaf.aligns
        return more

    def _begin(self, kind: LeafKind, *, above: bool = True) -> Leaf:
        """Begin a leaf in the open containers."""
        margin = Margin(quoted=any(isinstance(each, Quote) for each in self._open))
        depth = 0
        shared = True
        bars: Row[str] = []
        for index, container in enumerate(self._open):
            last = self._last_path[index] if index < len(self._last_path) else None
            shared = shared and last is container
            if isinstance(container, Quote):
                cells, label = "▎ ", "▎ "
                style = "markdown.quote"
            else:
                label = container.label(depth)
                cells = " " * len(label)
                label = cells if container.drawn else label
                style = "markdown.bullet"
                container.drawn, container.empty = True, False
                depth += 1
            margin.first.append((style, label))
            margin.rest.append((style, cells))
            if shared:
                bars.append((style, cells))
        if above and self._last is not None and (self._parted or kind in _LOOSE or self._last.kind in _LOOSE):
            margin.above = bars
        self._parted, self._emptied = False, None
        self.leaf = self._last = Leaf(kind, margin)
        self._last_path = [*self._open]
        return self.leaf

    def _end(self) -> None:
        """Complete the open leaf."""
        if self.leaf is None:
            return
        leaf, self.leaf = self.leaf, None
        if leaf.kind == "code" and leaf.fence is None:
            while leaf.lines and not leaf.lines[-1].strip():  # trailing empty lines do not belong to it
                leaf.lines.pop()
                self._parted = True
        self.done.append(leaf)

    def _close(self, depth: int) -> None:
        """Close the containers from `depth` on. An item without content shows its marker alone."""
        if depth >= len(self._open):
            return
        self._end()
        if any(isinstance(each, ListItem) and not each.drawn for each in self._open[depth:]):
            self._begin("paragraph")
            self._end()
        del self._open[depth:]


def _skip_quote(line: SourceLine) -> None:
    line.skip(line.indent + 1)
    if line.rest.startswith(" "):
        line.skip(1)


def _item(line: SourceLine, found: Marker, number: int) -> ListItem:
    """Return the list item that begins here, and skip its marker."""
    before = line.indent
    line.skip(before + found.cells)
    spaces = line.indent
    padding = 1 if line.blank or spaces > TAB else spaces
    empty = line.blank
    line.skip(min(padding, spaces))
    return ListItem(found.sign, number, before + found.cells + padding, empty)
