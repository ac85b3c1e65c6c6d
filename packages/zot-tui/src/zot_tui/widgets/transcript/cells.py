"""The cells for what is said: prompts, answers, thoughts, notes, plain text. No urwid."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zot_tui.text.runs import Row, clip_runs, plain
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.transcript.blocks import RenderableBlock, RenderedBlock, render_block
from zot_tui.widgets.transcript.cell import Cell, CellStyle
from zot_tui.widgets.transcript.chunks import (
    MARGIN,
    Chunk,
    ansi_lines,
    beside,
    folded,
    indented,
    line_groups,
    preview,
    text_lines,
    wrapped,
)
from zot_tui.widgets.transcript.images import imaged

if TYPE_CHECKING:
    from zot_tui.markdown import Document

Level: TypeAlias = Literal["info", "success", "warning", "error"]

BAR = "▌"
SHOWN_PROMPT = 20  # rows of a prompt that is not expanded
SUMMARY = 400  # characters of a thought that its one row is taken from


class UserCell(Cell):
    """What the person said, in a band behind a bar, and the images with it (`image` blocks); a long prompt is
    folded."""

    __slots__ = ("_drawn", "_images", "_style", "_text")

    def __init__(self, text: str, style: CellStyle | None = None, images: Sequence[RenderableBlock] = ()) -> None:
        super().__init__()
        self._text = text
        self._style = style or CellStyle()
        self._images = images
        self._drawn: list[RenderedBlock] | None = None

    @property
    def shows(self) -> bool:
        """A prompt shows its band at least."""
        return True

    @property
    def heading(self) -> str:
        """The first line that says something."""
        return _first_line(self._text)

    def folds(self, width: int) -> bool:
        """See `Cell`."""
        inner = max(width - MARGIN, 1)
        gallery = self._style.gallery
        images = [drawn.image for drawn in self._drawings() if drawn.image]
        if gallery is not None and any(gallery().grows(image, inner) for image in images):
            return True
        return preview(self._body(), inner, SHOWN_PROMPT)[1] > 0

    def release(self) -> None:
        """See `Cell`."""
        super().release()
        self._drawn = None

    def _make(self) -> list[Chunk]:
        chunks = self._body() if self._text or not self._images else []
        if chunks and not self._expanded:
            chunks = [folded(chunks, SHOWN_PROMPT, self._style.hint)]
        return [_band(chunk) for chunk in (*chunks, *map(self._image, self._drawings()))]

    def _drawings(self) -> list[RenderedBlock]:
        if self._drawn is None:
            self._drawn = [render_block(block) for block in self._images]
        return self._drawn

    def _image(self, drawn: RenderedBlock) -> Chunk:
        caption = drawn.chunks[0]
        if not drawn.image:
            return caption
        return imaged(caption, drawn.image, self._style, self._changed, large=self._expanded)

    def _body(self) -> list[Chunk]:
        return [wrapped(group) for group in line_groups(text_lines(self._text, "user_bubble"))]


class AnswerCell(Cell):
    """Markdown that grows while it is written. Appending costs what the new text costs."""

    __slots__ = ("_document", "_finished", "_grown", "_kept", "_pieces")

    def __init__(self, text: str = "", *, finished: bool = False) -> None:
        super().__init__()
        self._pieces = [text] if text else []
        self._finished = finished
        self._document: Document | None = None
        self._kept = 0  # chunks that are of closed blocks
        self._grown = False  # text came that `_chunks` does not have

    @property
    def text(self) -> str:
        """All that was appended."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def live(self) -> bool:
        """Whether `finish` is to come."""
        return not self._finished

    @property
    def shows(self) -> bool:
        """Whether anything but spaces was said."""
        return any(piece and not piece.isspace() for piece in self._pieces)

    @property
    def chunks(self) -> Sequence[Chunk]:
        """See `Cell`."""
        if self._chunks is None or self._document is None:
            self._chunks = self._make()
        elif self._grown:
            self._grow(self._document, self._chunks)
        return self._chunks

    def append(self, text: str) -> None:
        """More text."""
        if not text:
            return
        self._pieces.append(text)
        if self._document is not None:
            self._document.append(text)
            self._grown = True
        self._tell()

    def finish(self) -> None:
        """No text is to come."""
        self._finished = True
        if self._document is not None:
            self._document.finish()
            self._grown = True
            self._kept = 0
        self._tell()

    def release(self) -> None:
        """See `Cell`."""
        if self._finished:
            self._document = self._chunks = None

    def _make(self) -> list[Chunk]:
        if self._document is None:
            from zot_tui.markdown import Document  # noqa: PLC0415  not for a screen without an answer

            self._document = Document(self.text)
        chunks: list[Chunk] = []
        self._kept = 0
        self._grow(self._document, chunks)
        return chunks

    def _grow(self, document: "Document", chunks: list[Chunk]) -> None:
        """Put the chunks of new and of changed blocks in place of those of the blocks that were open."""
        self._grown = False
        del chunks[self._kept :]
        chunks += [indented(Chunk(block.rows, inner=block)) for block in document.closed[self._kept :]]
        self._kept = len(chunks)
        chunks += [indented(Chunk(block.rows, inner=block)) for block in document.open]
        if not chunks and self.shows:
            chunks.append(Chunk(lambda width: []))  # nothing that can be seen


class ThoughtCell(Cell):
    """What the other side says to itself: one row, its text when expanded. It is live until `finish`."""

    __slots__ = ("_body", "_finished", "_seconds")

    def __init__(self, text: str = "", seconds: float | None = None, *, finished: bool = False) -> None:
        super().__init__()
        self._body = AnswerCell(text, finished=finished)
        self._seconds = seconds
        self._finished = finished

    @property
    def live(self) -> bool:
        """Whether `finish` is to come."""
        return not self._finished

    @property
    def tight(self) -> bool:
        """One row stands close to others."""
        return not self._expanded

    @property
    def text(self) -> str:
        """All that was appended."""
        return self._body.text

    def append(self, text: str) -> None:
        """More text."""
        self._body.append(text)
        self._changed()

    def finish(self, seconds: float | None = None) -> None:
        """The thought has come to an end, after so long if that is known."""
        self._finished = True
        self._seconds = seconds if seconds is not None else self._seconds
        self._body.finish()
        self._changed()

    def folds(self, width: int) -> bool:
        """See `Cell`."""
        return bool(self.text.strip())

    def release(self) -> None:
        """See `Cell`."""
        super().release()
        self._body.release()

    def _make(self) -> list[Chunk]:
        head = "Thinking" if not self._finished else "Thought"
        if self._finished and self._seconds is not None:
            head += f" for {duration(self._seconds)}"
        body = self._body.chunks if self._expanded else ()
        row: Row[Any] = [("dim", "∴ "), ("thought", head)]
        summary = "" if self._expanded else self._summary()
        if summary:
            row.append(("dim", f": {summary}"))
        return [Chunk(lambda width: [clip_runs(row, width)]), *(_thought(chunk) for chunk in body)]

    def _summary(self) -> str:
        """A line of the thought: its last one while it goes on, afterwards the first."""
        pieces = self._body._pieces
        text = self.text[:SUMMARY] if self._finished or not pieces else _tail(pieces, SUMMARY)
        lines = [line for line in sanitize(text).split("\n") if line.strip()]
        if not lines:
            return ""
        from zot_tui.markdown.inline import inline  # noqa: PLC0415  see `AnswerCell`

        line = lines[0 if self._finished else -1]
        return sanitize_line(plain(inline(line.strip().lstrip("#").strip())))


class NoteCell(Cell):
    """A line beside the conversation: `[name] text`, coloured by its level. A note of level `error` is an error's."""

    __slots__ = ("_level", "_name", "_text")

    def __init__(self, text: str, level: Level = "info", name: str = "") -> None:
        super().__init__()
        self._text = text
        self._level = level
        self._name = name

    @property
    def tight(self) -> bool:
        """Notes stand close to each other."""
        return True

    def _make(self) -> list[Chunk]:
        lines = text_lines(self._text, self._level)
        if self._name:
            lines[0] = [(self._level, f"[{sanitize_line(self._name)}] "), *lines[0]]
        chunks = [wrapped(group) for group in line_groups(lines)]
        if self._level != "error" or self._name:
            return [indented(chunk) for chunk in chunks]
        return [beside(chunks[0], [("error", "✗ ")]), *(indented(chunk) for chunk in chunks[1:])]


class PlainCell(Cell):
    """Preformatted text; colours of programs are kept."""

    __slots__ = ("_style", "_text")

    def __init__(self, text: str, style: str = "text") -> None:
        super().__init__()
        self._text = text
        self._style = style

    def _make(self) -> list[Chunk]:
        if not self._text.strip():
            return []
        return [indented(wrapped(group)) for group in line_groups(ansi_lines(self._text, self._style))]


class WorkedCell(Cell):
    """How long a turn took, and what else is worth a word: `worked for 1m 12s · 3.2k tokens`."""

    __slots__ = ("_facts", "_seconds")

    def __init__(self, seconds: float, *facts: str) -> None:
        super().__init__()
        self._seconds = seconds
        self._facts = facts

    def _make(self) -> list[Chunk]:
        words = [f"worked for {duration(self._seconds)}", *map(sanitize_line, self._facts)]
        return [indented(wrapped([[("dim", " · ".join(words))]]))]


def _band(chunk: Chunk) -> Chunk:
    """The chunk on the background of what the person said, behind a bar."""

    def rows(width: int) -> list[Row[Any]]:
        inner = max(width - MARGIN, 1)
        bar: Row[Any] = [("user", BAR), ("user_bubble", " ")] if width > MARGIN else []
        return [[*bar, *row, ("user_bubble", "")] for row in chunk.rows(inner)]

    return Chunk(rows, chunk.lines, chunk)


def _thought(chunk: Chunk) -> Chunk:
    """The chunk in the style of thoughts where it is plain text."""

    def rows(width: int) -> list[Row[Any]]:
        return [[("thought" if style == "text" else style, text) for style, text in row] for row in chunk.rows(width)]

    return Chunk(rows, chunk.lines, chunk)


def _first_line(text: str) -> str:
    """The first line of `text` that is not empty, harmless; the rest is not looked at."""
    for line in text.lstrip()[:SUMMARY].split("\n"):
        found = sanitize_line(line).strip()
        if found:
            return detached(found)
    return ""


def _tail(pieces: Sequence[str], count: int) -> str:
    """The end of the text that the pieces make: `count` characters or some more."""
    taken: list[str] = []
    size = 0
    for piece in reversed(pieces):
        taken.append(piece)
        size += len(piece)
        if size >= count:
            break
    return "".join(reversed(taken))
