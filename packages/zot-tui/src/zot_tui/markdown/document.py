"""`Document`: growing markdown as blocks that can be drawn."""

import re

from zot_tui.markdown.block import CODE_TAB, MarkdownBlock
from zot_tui.markdown.parse import PIECE_SIZE, Cut, parse
from zot_tui.text.sanitize import sanitize

_LAST_WORD = re.compile(rf".{{{PIECE_SIZE // 2},}}[^ ] (?=[^\W\d_])", re.DOTALL)  # what is before the last word


class Document:
    """A markdown text that is appended to. The result does not depend on how the text is cut into pieces.

    `closed` are the blocks that later text cannot change; the list only grows. `open` are the blocks after them,
    usually a few, which may change after an append. A block holds at most 40 rows of code or of a table, and some
    4,000 characters of anything; longer content continues in the next block. Text is parsed when blocks are asked for,
    from the last item or block, or the second-to-last complete line of a longer one, at any depth of lists and quotes.
    So a redraw costs as much as the new text and the open blocks, however long the document is.

    Control sequences and invisible characters are stripped (`sanitize`). The dialect is CommonMark with the tables,
    task lists and strikethrough of GFM, without link reference definitions.
    """

    __slots__ = ("_changed", "_closed", "_cut", "_earlier", "_lines", "_open", "_partial")

    def __init__(self, text: str = "") -> None:
        self._closed: list[MarkdownBlock] = []
        self._open: list[MarkdownBlock] = []
        self._earlier: list[MarkdownBlock] = []  # the previous `open`, while more text may follow
        self._cut = Cut()
        self._lines: list[str] = []  # the complete lines after the cut
        self._partial = ""  # the unfinished line
        self._changed = False  # there is text that has not been parsed
        self.append(text)

    @property
    def closed(self) -> list[MarkdownBlock]:
        """The blocks that more text cannot change."""
        self._parse()
        return self._closed

    @property
    def open(self) -> list[MarkdownBlock]:
        """The blocks that more text may change, as they are without it."""
        self._parse()
        return self._open

    @property
    def blocks(self) -> list[MarkdownBlock]:
        return [*self.closed, *self.open]

    def append(self, text: str) -> None:
        if not text:
            return
        self._changed = True
        *ended, self._partial = (self._partial + text).split("\n")
        for line in ended:
            self._lines.append(_clean(self._whole(line)))
        self._partial = self._whole(self._partial)

    def finish(self) -> None:
        """Declare the text complete: blocks that have grown are drawn once more, whole."""
        self._parse()
        for block in self.blocks:
            block.settle()
        self._earlier = []

    def _whole(self, line: str) -> str:
        """Return the end of an overlong line; what is before becomes lines."""
        start = 0
        while len(line) - start > PIECE_SIZE:
            word = _LAST_WORD.match(line, start, start + PIECE_SIZE + 1)
            end = word.end() if word is not None else start + PIECE_SIZE
            self._lines.append(_clean(line[start:end]))
            start = end
        return line[start:]

    def _parse(self) -> None:
        """Parse from the cut on; cut at the last place that more text cannot change."""
        if not self._changed:
            return
        self._changed = False
        lines = [*self._lines, _clean(self._partial)] if self._partial else self._lines
        leaves, cut = parse(lines, self._cut, len(self._lines))
        count = cut.leaves if cut is not None else 0
        blocks: list[MarkdownBlock] = []
        last = self._closed[-1] if self._closed else None
        for index, leaf in enumerate(leaves):
            before = last if leaf.continues else None
            earlier = self._earlier[index] if index < len(self._earlier) else None
            if earlier is not None and earlier.draws(leaf, before):
                last = earlier
            else:
                last = MarkdownBlock(leaf, before)
                if earlier is not None or index >= count:
                    last.grow(earlier)
            blocks.append(last)
        self._closed += blocks[:count]
        self._open = self._earlier = blocks[count:]
        if cut is not None:
            del self._lines[: cut.line]
            self._cut = cut


def _clean(line: str) -> str:
    """Return a line that is safe to draw, with spaces for the tabs of its indentation."""
    line = sanitize(line.removesuffix("\r")).replace("\n", " ")
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(CODE_TAB) + body
