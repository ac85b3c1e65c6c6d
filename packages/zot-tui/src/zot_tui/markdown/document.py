"""`Document`: markdown that grows, as blocks that can be drawn."""

from collections.abc import Iterable

from zot_tui.markdown.block import MarkdownBlock
from zot_tui.markdown.leaves import Leaf
from zot_tui.markdown.structure import PIECE_SIZE, Structure
from zot_tui.text.sanitize import sanitize


class Document:
    """A text in markdown that is appended to. It is the same document however the text is cut into pieces.

    `closed` are the blocks that no text to come can change: the list only grows. `open` are those after them: one or
    two mostly, made anew when text was appended. A block holds at most 40 rows of code or of a table, and some 8,000
    characters of anything; what is longer goes on in the next block. So an append costs what its own text costs, and
    drawing it costs the open blocks, however long the document is.

    Control sequences and invisible characters are stripped (`sanitize`). The dialect is CommonMark with the tables,
    task lists and strikethrough of GFM, without link reference definitions.
    """

    __slots__ = ("_cut", "_earlier", "_open", "_partial", "_structure", "closed")

    def __init__(self, text: str = "") -> None:
        self.closed: list[MarkdownBlock] = []
        self._structure = Structure()
        self._partial = ""  # the line that has not ended
        self._cut = False  # its beginning was too long to wait for the end
        self._open: list[MarkdownBlock] | None = []
        self._earlier: list[MarkdownBlock] = []  # what `open` was, while more may come
        self.append(text)

    @property
    def open(self) -> list[MarkdownBlock]:
        """The blocks that more text may change, as they are if none comes."""
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
        """More text."""
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
        """No more text will come: blocks that have grown are drawn once more, whole."""
        self._open, self._earlier = None, []
        for block in self.closed:
            block.settle()

    def _hold(self, text: str) -> None:
        """Keep the beginning of a line until the line ends; of one that is too long, keep its end."""
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
