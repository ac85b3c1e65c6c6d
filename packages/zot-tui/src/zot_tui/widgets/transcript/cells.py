"""Cells for prompts, answers, thoughts and notes. No urwid."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zot_tui.text.runs import Row, clip_runs, plain
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.width import width as cells
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.transcript.blocks import RenderableBlock, RenderedBlock, render_block
from zot_tui.widgets.transcript.cell import Cell, CellStyle, CellText, with_image
from zot_tui.widgets.transcript.chunks import (
    MARGIN,
    Chunk,
    beside,
    folded,
    indented,
    line_groups,
    preview,
    text_lines,
    wrapped,
)

if TYPE_CHECKING:
    from zot_tui.markdown import Document

Level: TypeAlias = Literal["info", "success", "warning", "error"]

BAR = "▌"
SHOWN_PROMPT = 20  # rows of a prompt that is not expanded
SUMMARY_SOURCE = 400  # characters of a thought from which its one row is taken


class UserCell(Cell):
    """A prompt in a coloured band with a bar on the left, and its images (`image` blocks); a long prompt is folded.

    `whole` is what the model reads in place of `text`, which is shown when the cell is opened.
    """

    __slots__ = ("_drawn", "_images", "_style", "_text", "_whole")

    def __init__(
        self, text: str, style: CellStyle | None = None, images: Sequence[RenderableBlock] = (), whole: str = ""
    ) -> None:
        super().__init__()
        self._text, self._whole = text, whole
        self._style = style or CellStyle()
        self._images = images
        self._drawn: list[RenderedBlock] | None = None

    @property
    def shows(self) -> bool:
        """Always true: a prompt shows at least its band."""
        return True

    @property
    def heading(self) -> str:
        return _first_line(self._text)

    def texts(self) -> Iterator[CellText]:
        yield CellText(self._text)
        yield CellText(self._whole)

    def folds(self, width: int) -> bool:
        inner = max(width - MARGIN, 1)
        gallery = self._style.gallery
        images = [drawn.image for drawn in self._drawings() if drawn.image]
        if gallery is not None and any(gallery().can_expand(image, inner) for image in images):
            return True
        return bool(self._whole) or preview(_lines(self._text), inner, SHOWN_PROMPT)[1] > 0

    def release(self) -> None:
        super().release()
        self._drawn = None

    def _make(self) -> list[Chunk]:
        chunks = _lines(self._text) if self._text or not self._images else []
        if self._expanded and self._whole:
            chunks = _lines(self._whole)
        elif chunks and not self._expanded:
            chunks = [folded(chunks, SHOWN_PROMPT, self._style.hint)]
        if self._whole and not self._expanded:
            count = self._whole.count("\n") + 1
            more = f"… the model reads {count:,} line{'' if count == 1 else 's'}"
            chunks += _lines(f"{more} ({self._style.hint})" if self._style.hint else more, "muted")
        return [_band(chunk) for chunk in (*chunks, *map(self._image, self._drawings()))]

    def _drawings(self) -> list[RenderedBlock]:
        if self._drawn is None:
            self._drawn = [render_block(block) for block in self._images]
        return self._drawn

    def _image(self, drawn: RenderedBlock) -> Chunk:
        caption = drawn.chunks[0]
        if not drawn.image:
            return caption
        return with_image(caption, drawn.image, self._style, self._changed, large=self._expanded)


def _lines(text: str, style: str = "user_bubble") -> list[Chunk]:
    return [wrapped(group) for group in line_groups(text_lines(text, style))]


class AnswerCell(Cell):
    """Markdown that grows while it is written. The cost of appending depends on the new text only."""

    __slots__ = ("_document", "_finished", "_grown", "_kept", "_pieces", "_replacement")

    def __init__(self, text: str = "", *, finished: bool = False) -> None:
        super().__init__()
        self._pieces = [text] if text else []
        self._finished = finished
        self._replacement: str | None = None
        self._document: Document | None = None
        self._kept = 0  # chunks of closed blocks
        self._grown = False  # text was added that `_chunks` does not have

    @property
    def text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def replacement(self) -> str | None:
        """The drawing in place of the finished text."""
        return self._replacement

    @replacement.setter
    def replacement(self, text: str | None) -> None:
        if text != self._replacement:
            self._replacement = text
            self._document = None
            self._changed()

    @property
    def live(self) -> bool:
        return not self._finished

    @property
    def shows(self) -> bool:
        return any(piece and not piece.isspace() for piece in self._pieces)

    @property
    def chunks(self) -> Sequence[Chunk]:
        if self._chunks is None or self._document is None:
            self._chunks = self._make()
        elif self._grown:
            self._grow(self._document, self._chunks)
        return self._chunks

    def texts(self) -> Iterator[CellText]:
        yield CellText(self.text if self._replacement is None else self._replacement, markdown=True)

    def append(self, text: str) -> None:
        if not text:
            return
        self._pieces.append(text)
        if self._document is not None:
            self._document.append(text)
            self._grown = True
        self._notify()

    def finish(self) -> None:
        """Mark the text as complete."""
        self._finished = True
        if self._document is not None:
            self._document.finish()
            self._grown = True
            self._kept = 0
        self._notify()

    def release(self) -> None:
        if self._finished:
            self._document = self._chunks = None

    def _make(self) -> list[Chunk]:
        if self._document is None:
            from zot_tui.markdown import Document  # noqa: PLC0415  not for a screen without an answer

            self._document = Document(self.text if self._replacement is None else self._replacement)
        chunks: list[Chunk] = []
        self._kept = 0
        self._grow(self._document, chunks)
        return chunks

    def _grow(self, document: "Document", chunks: list[Chunk]) -> None:
        """Replace the chunks of blocks that were open by the chunks of changed and new blocks."""
        self._grown = False
        del chunks[self._kept :]
        chunks += [indented(Chunk(block.rows, inner=block)) for block in document.closed[self._kept :]]
        self._kept = len(chunks)
        chunks += [indented(Chunk(block.rows, inner=block)) for block in document.open]
        if not chunks and self.shows:
            chunks.append(Chunk(lambda width: []))  # nothing visible


class ThoughtCell(Cell):
    """The model's reasoning: one row, or the whole text when expanded. It is live until `finish`."""

    __slots__ = ("_body", "_finished", "_seconds", "_style")

    def __init__(
        self, text: str = "", seconds: float | None = None, *, finished: bool = False, style: CellStyle | None = None
    ) -> None:
        super().__init__()
        self._style = style or CellStyle()
        self._body = AnswerCell(text, finished=finished)
        self._seconds = seconds
        self._finished = finished

    @property
    def live(self) -> bool:
        return not self._finished

    @property
    def tight(self) -> bool:
        """A single row has no empty row around it."""
        return not self._expanded

    @property
    def text(self) -> str:
        return self._body.text

    def texts(self) -> Iterator[CellText]:
        return self._body.texts()

    def append(self, text: str) -> None:
        self._body.append(text)
        self._changed()

    def finish(self, seconds: float | None = None) -> None:
        """Mark the thought as complete; `seconds` is how long it took, if known."""
        self._finished = True
        self._seconds = seconds if seconds is not None else self._seconds
        self._body.finish()
        self._changed()

    def folds(self, width: int) -> bool:
        return bool(self.text.strip())

    def release(self) -> None:
        super().release()
        self._body.release()

    def _make(self) -> list[Chunk]:
        head = self._style.thinking or ("Thinking" if not self._finished else "Thought")
        if self._finished and self._seconds is not None:
            head += f" for {duration(self._seconds)}"
        body = self._body.chunks if self._expanded else ()
        row: Row[Any] = [("dim", "∴ "), ("thought", head)]
        summary = "" if self._expanded else self._summary()
        if summary:
            row.append(("muted", f": {summary}"))
        return [Chunk(lambda width: [clip_runs(row, width)]), *(_thought(chunk) for chunk in body)]

    def _summary(self) -> str:
        """Return one line of the thought: the last one while it grows, the first one afterwards."""
        pieces = self._body._pieces
        text = self.text[:SUMMARY_SOURCE] if self._finished or not pieces else _tail(pieces, SUMMARY_SOURCE)
        lines = [line for line in sanitize(text).split("\n") if line.strip()]
        if not lines:
            return ""
        from zot_tui.markdown.inline import inline  # noqa: PLC0415  see `AnswerCell`

        line = lines[0 if self._finished else -1]
        return sanitize_line(plain(inline(line.strip().lstrip("#").strip())))


class NoteCell(Cell):
    """A line that is not part of the conversation: `[name] text`, coloured by its level."""

    __slots__ = ("_level", "_name", "_text")

    def __init__(self, text: str, level: Level = "info", name: str = "") -> None:
        super().__init__()
        self._text = text
        self._level = level
        self._name = name

    @property
    def tight(self) -> bool:
        """Notes have no empty rows between them."""
        return True

    @property
    def text(self) -> str:
        """The text of the note; can be set."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        self._changed()

    def texts(self) -> Iterator[CellText]:
        yield CellText(f"[{self._name}] {self._text}" if self._name else self._text)

    def _make(self) -> list[Chunk]:
        lines = text_lines(self._text, self._level)
        if self._name:
            lines[0] = [(self._level, f"[{sanitize_line(self._name)}] "), *lines[0]]
        chunks = [wrapped(group) for group in line_groups(lines)]
        if self._level != "error" or self._name:
            return [indented(chunk) for chunk in chunks]
        return [beside(chunks[0], [("error", "✗ ")]), *(indented(chunk) for chunk in chunks[1:])]


class RowsCell(Cell):
    """Rows that their owner may replace. The first run of each is its margin, below which the rest is wrapped."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row[Any]] = ()

    @property
    def rows(self) -> Sequence[Row[Any]]:
        """The rows; can be set."""
        return self._rows

    @rows.setter
    def rows(self, rows: Sequence[Row[Any]]) -> None:
        if rows != self._rows:
            self._rows = rows
            self._changed()

    def texts(self) -> Iterator[CellText]:
        yield CellText("\n".join(map(plain, self._rows)))

    def _make(self) -> list[Chunk]:
        return [wrapped([row[1:]], row[:1], row[:1]) for row in self._rows]


class WorkedCell(Cell):
    """How long a run took, and other facts: `worked for 1m 12s · 3.2k tokens`. A row ends between two of them."""

    __slots__ = ("_facts", "_seconds")

    def __init__(self, seconds: float, *facts: str) -> None:
        super().__init__()
        self._seconds = seconds
        self._facts = facts

    def _make(self) -> list[Chunk]:
        facts = [f"worked for {duration(self._seconds)}", *map(sanitize_line, self._facts)]

        def rows(width: int) -> list[Row[Any]]:
            lines = facts[:1]
            for fact in facts[1:]:
                longer = f"{lines[-1]} · {fact}"
                lines[-1:] = [longer] if cells(longer) <= width else [lines[-1], fact]
            return [*wrapped([[("muted", line)] for line in lines]).rows(width)]

        return [indented(Chunk(rows))]


def _band(chunk: Chunk) -> Chunk:
    """Return the chunk on the background of prompts, with a bar on the left."""

    def rows(width: int) -> list[Row[Any]]:
        inner = max(width - MARGIN, 1)
        bar: Row[Any] = [("user", BAR), ("user_bubble", " ")] if width > MARGIN else []
        return [[*bar, *row, ("user_bubble", "")] for row in chunk.rows(inner)]

    return Chunk(rows, chunk.lines, chunk)


def _thought(chunk: Chunk) -> Chunk:
    """Return the chunk with its plain text in the style of thoughts."""

    def rows(width: int) -> list[Row[Any]]:
        return [[("thought" if style == "text" else style, text) for style, text in row] for row in chunk.rows(width)]

    return Chunk(rows, chunk.lines, chunk)


def _first_line(text: str) -> str:
    """Return the first line of `text` that is not empty, sanitized. Only the beginning of the text is read."""
    for line in text.lstrip()[:SUMMARY_SOURCE].split("\n"):
        found = sanitize_line(line).strip()
        if found:
            return detached(found)
    return ""


def _tail(pieces: Sequence[str], count: int) -> str:
    """Return the last `count` characters of the joined pieces, or some more."""
    taken: list[str] = []
    size = 0
    for piece in reversed(pieces):
        taken.append(piece)
        size += len(piece)
        if size >= count:
            break
    return "".join(reversed(taken))
