"""`Document`: growing markdown as blocks that can be drawn."""

from collections.abc import Iterable

from zot_tui.markdown.block import MarkdownBlock
from zot_tui.markdown.leaves import Leaf
from zot_tui.markdown.structure import PIECE_SIZE, Structure
from zot_tui.text.sanitize import sanitize


class Document:
    """A markdown text that is appended to. The result does not depend on how the text is cut into pieces.

    `closed` are the blocks that later text cannot change; the list only grows. `open` are the blocks after them,
    usually one or two, which are rebuilt after an append. A block holds at most 40 rows of code or of a table, and some
    8,000 characters of anything; longer content continues in the next block. So an append costs as much as its own
    text, and drawing it as much as the open blocks, however long the document is.

    Control sequences and invisible characters are stripped (`sanitize`). The dialect is CommonMark with the tables,
    task lists and strikethrough of GFM, without link reference definitions.
    """

    __slots__ = ("_cut", "_earlier", "_open", "_partial", "_structure", "closed")

    def __init__(self, text: str = "") -> None:
        self.closed: list[MarkdownBlock] = []
        self._structure = Structure()
        self._partial = ""  # the unfinished line
        self._cut = False  # its beginning was overlong and has been passed on
        self._open: list[MarkdownBlock] | None = []
        self._earlier: list[MarkdownBlock] = []  # the previous `open`, while more text may follow
        self.append(text)

    @property
    def open(self) -> list[MarkdownBlock]:
        """The blocks that more text may change, as they are without it."""
        if self._open is None:
            ahead = self._structure.copy()
            if self._partial:
                self._feed(ahead, self._partial, cut=self._cut)
            ahead.finish()
            self._open = _blocks(ahead.done, self.closed[-1] if self.closed else None)
            for index, block in enumerate(self._open):
                block.grow(self._earlier[index] if index < len(self._earlier) else None)
            self._earlier = self._open
        return self._open

    @property
    def blocks(self) -> list[MarkdownBlock]:
        """All blocks."""
        return [*self.closed, *self.open]

    def append(self, text: str) -> None:
        """Append text."""
        if not text:
            return
        self._open = None
        first, *lines = text.split("\n")
        self._hold(first)
        for line in lines:
            self._feed(self._structure, self._partial, cut=self._cut)
            self._partial, self._cut = "", False
            self._hold(line)
        done = self._structure.done
        if done:
            more = _blocks(done, self.closed[-1] if self.closed else None)
            for block, earlier in zip(more, self._earlier, strict=False):
                block.grow(earlier)
            self.closed += more
            self._earlier = self._earlier[len(more) :]
            done.clear()

    def finish(self) -> None:
        """Declare the text complete: blocks that have grown are drawn once more, whole."""
        self._open, self._earlier = None, []
        for block in self.closed:
            block.settle()

    def _hold(self, text: str) -> None:
        """Keep the beginning of a line until the line ends; of an overlong line, keep its end."""
        self._partial += text
        if len(self._partial) <= PIECE_SIZE:
            return
        held = self._partial
        start = 0
        while len(held) - start > PIECE_SIZE:
            self._feed(self._structure, held[start : start + PIECE_SIZE], cut=self._cut)
            self._cut = True
            start += PIECE_SIZE
        self._partial = held[start:]

    def _feed(self, structure: Structure, raw: str, *, cut: bool) -> None:
        line = sanitize(raw.removesuffix("\r")).replace("\n", " ")
        if cut:
            structure.feed_more(line)
        else:
            structure.feed(line)


def _blocks(leaves: Iterable[Leaf], last: MarkdownBlock | None) -> list[MarkdownBlock]:
    blocks: list[MarkdownBlock] = []
    for leaf in leaves:
        last = MarkdownBlock(leaf, last if leaf.before is not None else None)
        blocks.append(last)
    return blocks
