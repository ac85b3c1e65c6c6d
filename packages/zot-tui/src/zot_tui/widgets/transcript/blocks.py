"""`render_block`: draws each kind of display block; no urwid.

A block is any record with a `kind` and with `words`, the text that a search goes through. Its other fields depend on
the kind: `text` and `markdown` (`text`), `code` (`path`, `text`, `start_line`), `diff` (`path`, `diff`, and `starts` if
the numbers of its lines are known: see `parse_diff`), `files` (`paths`), `terminal` (`command`, `output`, `exit_code`
or None if it was stopped, `duration` in seconds, `left_out`: how many more lines it has printed), `image`
(`mime_type`, base64 `data`, `source`), `todo` (`items`, each with `content` and a `status`: `pending`, `in_progress` or
`completed`).
"""

from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from zot_tui.diff import NUMBER, diff_parts, parse_diff
from zot_tui.highlight import LexedLines, lex
from zot_tui.image.size import HEAD, base64_pixels
from zot_tui.text.runs import Row, Run
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.width import clip, expand_tabs
from zot_tui.text.wrap import wrap
from zot_tui.widgets.amounts import counted, duration, size
from zot_tui.widgets.transcript.chunks import ROWS, SIZE, TAB, Chunk, TextLine, ansi_lines, line_groups, wrapped

MIN_DURATION = 0.05  # seconds from which a duration is shown
_GUTTER = "   "  # between a number and its line: a space, and where a sign of a diff is
KIND, SOURCE = 16, 400  # most cells of an image's type and name, which come from outside


class RenderableBlock(Protocol):
    """A display block of any kind."""

    @property
    def kind(self) -> str:
        """The key of its renderer in `RENDERERS`."""

    @property
    def words(self) -> str:
        """The text that is shown, for a search."""


@dataclass(slots=True)
class RenderedBlock:
    """A block as chunks.

    `note` summarizes it in a few words for the row above: what changed, how it ended. `tail` is whether to keep its end
    rather than its beginning when folded; `left_out`: how many more lines there were. `image` is the base64 data of an
    image to show below the chunks. `aside`: the screen shows this elsewhere, as it is now.
    """

    chunks: list[Chunk] = field(default_factory=list)
    note: Row[Any] = field(default_factory=list)
    tail: bool = False
    image: str = ""
    left_out: int = 0
    aside: bool = False


class BlockPlace(NamedTuple):
    """Where a block is drawn: below a row that already shows `subject` (a path, a command); changes in two `sides`."""

    subject: str = ""
    sides: bool = False


def render_block(block: RenderableBlock, subject: str = "", *, sides: bool = False) -> RenderedBlock:
    """Draw a block: see `BlockPlace`. An unknown kind shows its name."""
    renderer = RENDERERS.get(block.kind)
    if renderer is None:
        return RenderedBlock([wrapped([[("muted", f"({sanitize_line(block.kind)})")]])])
    return renderer(block, BlockPlace(subject, sides))


def _text(block: Any, _: BlockPlace) -> RenderedBlock:
    return RenderedBlock(_chunks(ansi_lines(block.text, "tool_out")) if block.text.strip() else [])


def _markdown(block: Any, _: BlockPlace) -> RenderedBlock:
    from zot_tui.markdown import Document  # noqa: PLC0415  not for a screen without an answer

    document = Document(block.text)
    document.finish()
    return RenderedBlock([Chunk(each.rows, inner=each) for each in document.blocks])


def _code(block: Any, place: BlockPlace) -> RenderedBlock:
    """Draw highlighted lines with their numbers."""
    text = sanitize(block.text)
    lines = text.removesuffix("\n").split("\n") if text else []
    cells = max(len(str(block.start_line + len(lines) - 1)), NUMBER)
    chunks = [*_title(block.path, place.subject)]
    piece: _Code | None = None
    for first, group in _groups(lines, block.start_line):
        piece = _Code(group, block.path, first, cells, piece)
        chunks.append(Chunk(piece.rows, len(group)))
    part = f"{block.start_line}–{block.start_line + len(lines) - 1}" if block.start_line > 1 else ""
    return RenderedBlock(chunks, [("muted", part or counted(len(lines), "line"))])


def _diff(block: Any, place: BlockPlace) -> RenderedBlock:
    lines = parse_diff(block.diff, block.starts)
    parts = diff_parts(lines, block.path, sides=place.sides)
    chunks = [*_title(block.path, place.subject), *(Chunk(part.rows, part.lines) for part in parts)]
    added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
    note: Row[Any] = [("diff.added", f"+{added}")] if added or not removed else []
    if removed:
        note += [("muted", " ")] if note else []
        note.append(("diff.removed", f"−{removed}"))
    return RenderedBlock(chunks, note)


def _files(block: Any, _: BlockPlace) -> RenderedBlock:
    lines: list[TextLine] = []
    for path in map(sanitize_line, block.paths):
        folder, slash, name = path.removesuffix("/").rpartition("/")
        ending = path[len(path.removesuffix("/")) :]
        lines.append([("muted", detached(folder) + slash), ("muted" if ending else "text", detached(name) + ending)])
    return RenderedBlock(_chunks(lines), [("muted", counted(len(block.paths), "file"))])


def _terminal(block: Any, place: BlockPlace) -> RenderedBlock:
    """Draw the command, unless it is the subject, and its output; the note says how it ended."""
    chunks: list[Chunk] = []
    command = sanitize(block.command).strip()
    if command and command != place.subject.strip():
        lines: list[TextLine] = [[("tool", detached(line))] for line in command.split("\n")]
        prompts: list[Row[Any]] = [[("dim", "$ ")], [("dim", "  ")]]
        for index, group in enumerate(line_groups(lines)):
            chunks.append(wrapped(group[:1], prompts[min(index, 1)], prompts[1]))
            chunks += [wrapped(group[1:], prompts[1], prompts[1])] if group[1:] else []
    if block.output.strip():
        chunks += _chunks(ansi_lines(block.output, "tool_out"))
    return RenderedBlock(chunks, _ending(block.exit_code, block.duration), tail=True, left_out=block.left_out)


def _ending(exit_code: int | None, seconds: float) -> Row[Any]:
    took = duration(seconds) if seconds >= MIN_DURATION else ""
    if exit_code == 0:
        return [("muted", took)] if took else []
    how: Run[Any] = ("warning", "stopped") if exit_code is None else ("error", f"exit {exit_code}")
    return [how, ("muted", f" · {took}")] if took else [how]


def _image(block: Any, _: BlockPlace) -> RenderedBlock:
    """Draw a caption with type, size and name."""
    found = base64_pixels(block.data)
    kind = clip(sanitize_line(block.mime_type).rpartition("/")[2].upper(), KIND) or "image"
    facts = [kind, *([f"{found.width}×{found.height}"] if found else []), size(_byte_count(block.data))]
    source = clip(sanitize_line(block.source), SOURCE)
    line: TextLine = [("dim", "▨ "), ("tool_out", " · ".join(facts))]
    caption = wrapped([[*line, ("muted", f"  {source}" if source else "")]])
    return RenderedBlock([caption], image=block.data if found else "")


def _byte_count(data: str) -> int:
    """Return the number of bytes in base64 `data`, 0 if it is invalid. Large data is not decoded for that."""
    if len(data) > HEAD:
        return len(data) * 3 // 4 - data[-2:].count("=")
    try:
        return len(b64decode(data))
    except ValueError:
        return 0


def _todo(block: Any, _: BlockPlace) -> RenderedBlock:
    lines = [todo_line(item) for item in block.items]
    done = sum(item.status == "completed" for item in block.items)
    note: Row[Any] = [("muted", f"{done} of {len(lines)} done" if lines else "empty")]
    return RenderedBlock(_chunks(lines), note, aside=True)


def todo_line(item: Any) -> TextLine:
    """Return an item of a list (`content`, `status`) as a line with a mark."""
    mark, style = _TODO_MARKS.get(item.status, ("○ ", "tool_out"))
    return [(style, mark + detached(sanitize_line(item.content)))]


_TODO_MARKS = {"completed": ("✓ ", "muted"), "in_progress": ("▸ ", "accent"), "pending": ("○ ", "tool_out")}

RENDERERS: dict[str, Callable[[Any, BlockPlace], RenderedBlock]] = {
    "text": _text,
    "markdown": _markdown,
    "code": _code,
    "diff": _diff,
    "files": _files,
    "terminal": _terminal,
    "image": _image,
    "todo": _todo,
}


def _chunks(lines: Sequence[TextLine]) -> list[Chunk]:
    return [wrapped(group) for group in line_groups(lines)]


def _title(path: str, subject: str) -> Iterator[Chunk]:
    """Yield the file's name, unless the row above shows it or its end."""
    if path and path != subject and not (subject and path.endswith(f"/{subject}")):
        yield wrapped([[("diff.header", detached(sanitize_line(path)))]])


def _groups(lines: Sequence[str], number: int) -> Iterator[tuple[int | None, list[str]]]:
    """Yield the lines of each chunk and the number of the first; None if that continues a line that was split."""
    group: list[str] = []
    start, room = number, SIZE
    for line in lines:
        if group and (len(group) >= ROWS or len(line) > room):
            yield start, group
            group, start, room = [], number, SIZE
        for cut in range(SIZE, len(line), SIZE):
            yield (start if cut == SIZE else None), [line[cut - SIZE : cut]]
        if len(line) > SIZE:
            yield None, [line[(len(line) - 1) // SIZE * SIZE :]]
            start = number + 1
        else:
            group.append(line)
            room -= len(line)
        number += 1
    if group:
        yield start, group


class _Code:
    """A piece of code: its lines, the number of the first one, and the piece before it."""

    __slots__ = ("_before", "_cells", "_first", "_lexing", "_lines", "_path")

    def __init__(self, lines: list[str], path: str, first: int | None, cells: int, before: "_Code | None") -> None:
        self._lines = [detached(expand_tabs(line, 0, TAB)) for line in lines]
        self._path = path
        self._first = first
        self._cells = cells
        self._before = before
        self._lexing: LexedLines | None = None

    def rows(self, width: int) -> list[Row[Any]]:
        """Return the rows, see `Chunk`."""
        rows: list[Row[Any]] = []
        rest: Run[Any] = ("dim", " " * (self._cells + len(_GUTTER)))
        for index, line in enumerate(self._lexed().rows):
            number = "" if self._first is None else str(self._first + index)
            rows += wrap(line, width, first=[("dim", f"{number:>{self._cells}}{_GUTTER}")], rest=[rest])
        return rows

    def _lexed(self) -> LexedLines:
        """Return the highlighted code, starting from the state at the end of the previous piece."""
        waiting = [self]
        while waiting[-1]._lexing is None and waiting[-1]._before is not None:
            waiting.append(waiting[-1]._before)
        found: LexedLines | None = None
        for piece in reversed(waiting):
            if piece._lexing is None:
                lexed = lex(piece._lines, piece._path, found)
                if lexed.postponed:
                    return lexed if piece is self else lex(self._lines, "")
                piece._lexing = lexed
            found = piece._lexing
        return found if found is not None else lex([], "")
