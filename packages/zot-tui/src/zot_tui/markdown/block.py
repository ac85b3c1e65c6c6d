"""`MarkdownBlock`: a part of a document that is drawn as a whole."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from zot_tui.highlight import LexedLines, lex
from zot_tui.lexing_time import LEXING_TIME
from zot_tui.markdown.inline import inline
from zot_tui.markdown.leaves import Leaf, LeafKind, Margin
from zot_tui.markdown.table import TableShape, cells, shape, table_rows
from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached
from zot_tui.text.width import expand_tabs
from zot_tui.text.wrap import wrap

CODE_INDENT = "  "
CODE_TAB = 4

_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")


@dataclass(slots=True, eq=False, repr=False)
class _Growth:
    """The cached part of a growing piece of code: its finished lines, coloured, and their rows for one width."""

    seen: bool = False
    lines: list[str] = field(default_factory=list)
    lexed: LexedLines | None = None
    width: int = 0
    rows: list[Row[str]] = field(default_factory=list)
    wrapped: int = 0  # number of lines in `rows`


class MarkdownBlock:
    """A paragraph, heading, rule, or piece of code, of a table or of HTML, with the marks of the lists and quotes
    around it.

    Its text does not change.
    """

    __slots__ = ("_before", "_growth", "_leaf", "_lexing", "_rows", "_shape", "_width")

    def __init__(self, leaf: Leaf, before: "MarkdownBlock | None" = None) -> None:
        """`before` is the block that this one continues, if both are pieces of one code block or table."""
        self._leaf = leaf
        self._before = before
        self._width = 0
        self._rows: list[Row[str]] = []
        self._lexing: LexedLines | None = None
        self._shape: TableShape | None = None
        self._growth: _Growth | None = None

    def draws(self, leaf: Leaf, before: "MarkdownBlock | None") -> bool:
        """Whether the block is that of `leaf` and continues `before`."""
        return self._before is before and self._leaf == leaf

    def grow(self, earlier: "MarkdownBlock | None") -> None:
        """Take over the cache of `earlier`, which this block replaces while it grows, if any.

        Of a piece of code only the changed lines are drawn again. A token that spans several lines may then have other
        colours than in a block that was made whole.
        """
        if self.kind != "code":
            return
        known = earlier._growth if earlier is not None else None
        same = known is not None and earlier is not None and earlier._before is self._before
        self._growth = known if same and earlier is not None and earlier.language == self.language else _Growth()

    def settle(self) -> None:
        """Draw the block whole when it is drawn next: it does not grow any more."""
        if self._growth is not None:
            self._width, self._rows, self._growth, self._lexing = 0, [], None, None

    def forget(self) -> None:
        """Drop the rows and colours, except the state of the lexer for the piece that continues this one.

        The rest is computed again on demand.
        """
        self._width, self._rows, self._growth = 0, [], None
        if self._lexing is not None:
            self._lexing = LexedLines([], self._lexing.states, self._lexing.size)

    @property
    def kind(self) -> LeafKind:
        """The kind of block. An item of a list is the blocks within it."""
        return self._leaf.kind

    @property
    def source(self) -> str:
        """The text without marks of lists and quotes, fences, and the head of a table."""
        return "\n".join([*self._leaf.lines, *map(" | ".join, self._leaf.rows)])

    @property
    def language(self) -> str:
        """The first word after the fence of a piece of code."""
        return self._leaf.info.split()[0] if self._leaf.info else ""

    def rows(self, width: int) -> list[Row[str]]:
        """Return the rows in `width` cells (1 or more), with an empty row above if the block is separated from the one
        before.

        The rows for the last width are cached, unless their colours are postponed.
        """
        if width != self._width:
            postponed = LEXING_TIME.postponed
            self._rows = self._drawn(width)
            self._width = width if LEXING_TIME.postponed == postponed else 0
        return self._rows

    def _drawn(self, width: int) -> list[Row[str]]:
        leaf, margin = self._leaf, self._leaf.margin
        above = [] if margin.above is None else [_stripped(clip_runs(margin.above, width, ""))]
        if leaf.kind == "code":
            return above + self._code(margin, width)
        if leaf.kind == "rule":
            return above + _beside([[("markdown.rule", "─" * _room(margin, width))]], margin, width)
        if leaf.kind == "table":
            return above + self._table(margin, width)
        if leaf.kind == "html":
            rows = wrap([("muted", detached(self.source))], width, first=margin.first, rest=margin.rest)
            return above + [_stripped(row) for row in rows]
        if leaf.kind == "heading":
            text = inline(self.source.strip(), "markdown.heading")
            runs = [("markdown.heading", "#" * leaf.level + " "), *text]
            return above + [_stripped(row) for row in wrap(runs, width, first=margin.first, rest=margin.rest)]
        return above + self._paragraph(margin, width)

    def _paragraph(self, margin: Margin, width: int) -> list[Row[str]]:
        text = self.source.strip()
        style = "markdown.quote" if margin.quoted else "text"
        first, rest = margin.first, margin.rest
        task = _TASK.match(text)
        if task and first and first[-1][0] == "markdown.bullet" and first[-1][1].strip():
            done = task[1] != " "
            box = ("success" if done else "markdown.bullet", "[x] " if done else "[ ] ")
            numbered = first[-1] if first[-1][1][0].isdigit() else ("markdown.bullet", "")
            first = join([*first[:-1], numbered, box])
            rest = join([*rest[:-1], ("markdown.bullet", " " * (len(numbered[1]) + len(box[1])))])
            text = text[task.end() :]
        return [_stripped(row) for row in wrap(inline(text, style), width, first=first, rest=rest)]

    def _code(self, margin: Margin, width: int) -> list[Row[str]]:
        lines = self._code_lines()
        indent = ("markdown.code_block", CODE_INDENT)
        first, rest = [*margin.first, indent], [*margin.rest, indent]
        lexed, growth = self._lexed(lines).rows, self._growth
        ended = len(growth.lines) if growth is not None else 0  # lines whose rows may be cached
        rows: list[Row[str]] = []
        if growth is not None:
            if growth.width != width:
                growth.width, growth.rows, growth.wrapped = width, [], 0
            rows = growth.rows[:]
        for index in range(growth.wrapped if growth is not None else 0, len(lexed)):
            rows += map(_stripped, wrap(lexed[index], width, first=rest if index else first, rest=rest))
            if growth is not None and index < ended:
                growth.rows, growth.wrapped = rows[:], index + 1
        return rows

    def _code_lines(self) -> list[str]:
        return [detached(expand_tabs(line, 0, CODE_TAB)) for line in self._leaf.lines or [""]]

    def _lexed(self, lines: Sequence[str]) -> LexedLines:
        """Return the coloured code, starting from the state at the end of the previous piece."""
        waiting: list[MarkdownBlock] = [self]
        while (before := waiting[-1]._before) is not None and waiting[-1]._lexing is None:
            waiting.append(before)
        for block in reversed(waiting):
            if block._lexing is None:
                start = block._before._lexing if block._before is not None else None
                own = lines if block is self else block._code_lines()
                lexed = block._grown(own, start) or lex(own, block.language, start)
                if lexed.postponed:
                    return lexed if block is self else lex(lines, "")
                block._lexing = lexed
        found = self._lexing
        if found is None or not found.rows:  # forgotten
            start = self._before._lexing if self._before is not None else None
            found = lex(lines, self.language, start)
            self._lexing = self._lexing if found.postponed else found
        return found

    def _grown(self, lines: Sequence[str], start: LexedLines | None) -> LexedLines | None:
        """Return the coloured lines, reusing the finished ones; None for a block that has not grown yet."""
        growth = self._growth
        if growth is None:
            return None
        if not growth.seen:  # drawn for the first time, perhaps the only time: whole
            growth.seen = True
            return None
        known = len(growth.lines)
        if lines[:known] != growth.lines or known >= len(lines):
            growth.lines, growth.lexed, growth.width, known = [], None, 0, 0
        ended = list(lines[known:-1])
        if ended or growth.lexed is None:
            before = growth.lexed or start
            more = lex(ended, self.language, before)
            done = growth.lexed.rows if growth.lexed is not None else []
            if more.postponed:
                return LexedLines([*done, *more.rows, *lex(lines[-1:], "").rows], postponed=True)
            growth.lexed = LexedLines([*done, *more.rows], more.states, more.size)
            growth.lines = list(lines[:-1])
        last = lex(lines[-1:], self.language, growth.lexed)
        return LexedLines([*growth.lexed.rows, *last.rows], last.states, last.size, last.postponed)

    def _table(self, margin: Margin, width: int) -> list[Row[str]]:
        leaf = self._leaf
        body = [cells(row, len(leaf.head)) for row in leaf.rows]
        rows = table_rows(self._form(), body, _room(margin, width), top=self._before is None)
        return _beside(rows, margin, width)

    def _form(self) -> TableShape:
        """Return the shape of the table, which its first piece determines."""
        first = self
        while first._before is not None:
            first = first._before
        if first._shape is None:
            leaf = first._leaf
            first._shape = shape(leaf.head, leaf.aligns, [cells(row, len(leaf.head)) for row in leaf.rows])
        return first._shape


def _room(margin: Margin, width: int) -> int:
    """Return the cells that the marks of lists and quotes leave."""
    return width - min(runs_width(margin.rest), width // 2)


def _beside(rows: list[Row[str]], margin: Margin, width: int) -> list[Row[str]]:
    """Put the marks of lists and quotes, at most half of the width, before the rows."""
    marks = clip_runs(margin.first, width // 2, ""), clip_runs(margin.rest, width // 2, "")
    return [_stripped(join([*marks[min(index, 1)], *row])) for index, row in enumerate(rows)]


def _stripped(row: Row[str]) -> Row[str]:
    """Return the row without trailing spaces."""
    row = [*row]
    while row:
        style, text = row.pop()
        text = text.rstrip(" ")
        if text:
            return [*row, (style, text)]
    return row
