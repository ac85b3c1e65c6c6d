"""`RENDERERS`: how each kind of display block is drawn; no urwid.

A block is any record with a `kind`. What else it has depends on that: `text` (`text`), `code` (`path`, `text`,
`start_line`), `diff` (`path`, `diff`, and `starts` if the numbers of its lines are known: see `parse_diff`), `files`
(`paths`), `terminal` (`command`, `output`, `exit_code` or None if it was stopped, `duration` in seconds), `image`
(`mime_type`, base64 `data`, `source`).
"""

from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from zot_tui.diff import DiffLine, diff_rows, parse_diff
from zot_tui.highlight import Lexing, lexing
from zot_tui.text.runs import Row, Run
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.width import clip, expand_tabs
from zot_tui.text.wrap import wrap
from zot_tui.widgets.amounts import counted, duration, size
from zot_tui.widgets.transcript.chunks import ROWS, SIZE, TAB, Chunk, TextLine, ansi_lines, line_groups, wrapped
from zot_tui.widgets.transcript.images import HEAD, image_size

WORTH = 0.05  # seconds from which it is said how long something took
KIND, SOURCE = 16, 400  # cells of an image's type and of its name: anybody may have given them


class RenderableBlock(Protocol):
    """A display block: one record of many kinds."""

    @property
    def kind(self) -> str:
        """Which renderer draws it."""


@dataclass(slots=True)
class RenderedBlock:
    """A block as chunks.

    `note` says it in a few words, for the row above: what changed, how it ended. `tail` is whether its end matters more
    than its beginning when there is room for one of them. `image` is base64 of one that belongs below the chunks.
    """

    chunks: list[Chunk] = field(default_factory=list)
    note: Row[Any] = field(default_factory=list)
    tail: bool = False
    image: str = ""


def render_block(block: RenderableBlock, subject: str = "") -> RenderedBlock:
    """The block, drawn below a row that names `subject` already (a path, a command). An unknown kind is its name."""
    renderer = RENDERERS.get(block.kind)
    if renderer is None:
        return RenderedBlock([wrapped([[("dim", f"({sanitize_line(block.kind)})")]])])
    return renderer(block, subject)


def _text(block: Any, _subject: str) -> RenderedBlock:
    return RenderedBlock(_chunks(ansi_lines(block.text, "tool_out")) if block.text.strip() else [])


def _code(block: Any, subject: str) -> RenderedBlock:
    """The lines in colours behind their numbers."""
    text = sanitize(block.text)
    lines = text.removesuffix("\n").split("\n") if text else []
    cells = len(str(block.start_line + len(lines) - 1))
    chunks = [*_title(block.path, subject)]
    piece: _Code | None = None
    for first, group in _groups(lines, block.start_line):
        piece = _Code(group, block.path, first, cells, piece)
        chunks.append(Chunk(piece.rows, len(group)))
    return RenderedBlock(chunks, [("muted", counted(len(lines), "line"))])


def _diff(block: Any, subject: str) -> RenderedBlock:
    lines = parse_diff(block.diff, getattr(block, "starts", ()))
    cells = max((len(str(line.new or line.old)) for line in lines if line.new or line.old), default=0)
    chunks = [*_title(block.path, subject)]
    chunks += [_diff_chunk(lines[start : start + ROWS], cells) for start in range(0, len(lines), ROWS)]
    added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
    note: Row[Any] = [("diff.added", f"+{added}")] if added or not removed else []
    if removed:
        note += [("muted", " ")] if note else []
        note.append(("diff.removed", f"−{removed}"))
    return RenderedBlock(chunks, note)


def _files(block: Any, _subject: str) -> RenderedBlock:
    lines: list[TextLine] = []
    for path in map(sanitize_line, block.paths):
        folder, slash, name = path.removesuffix("/").rpartition("/")
        style = "muted" if path.endswith("/") else "tool_out"
        lines.append([("dim", detached(folder) + slash), (style, detached(name) + path[len(path.removesuffix("/")) :])])
    return RenderedBlock(_chunks(lines), [("muted", counted(len(block.paths), "file"))])


def _terminal(block: Any, subject: str) -> RenderedBlock:
    """The command unless it is the subject, and what it printed; the note says how it ended."""
    chunks: list[Chunk] = []
    command = sanitize(block.command).strip()
    if command and command != subject.strip():
        lines: list[TextLine] = [[("tool", detached(line))] for line in command.split("\n")]
        prompts: list[Row[Any]] = [[("dim", "$ ")], [("dim", "  ")]]
        for index, group in enumerate(line_groups(lines)):
            chunks.append(wrapped(group[:1], prompts[min(index, 1)], prompts[1]))
            chunks += [wrapped(group[1:], prompts[1], prompts[1])] if group[1:] else []
    if block.output.strip():
        chunks += _chunks(ansi_lines(block.output, "tool_out"))
    return RenderedBlock(chunks, _ending(block.exit_code, block.duration), tail=True)


def _ending(exit_code: int | None, seconds: float) -> Row[Any]:
    took = duration(seconds) if seconds >= WORTH else ""
    if exit_code == 0:
        return [("muted", took)] if took else []
    how: Run[Any] = ("warning", "stopped") if exit_code is None else ("error", f"exit {exit_code}")
    return [how, ("muted", f" · {took}")] if took else [how]


def _image(block: Any, _subject: str) -> RenderedBlock:
    """What image it is, in a row."""
    found = image_size(block.data)
    kind = clip(sanitize_line(block.mime_type).rpartition("/")[2].upper(), KIND) or "image"
    facts = [kind, *([f"{found.width}×{found.height}"] if found else []), size(_held(block.data))]
    source = clip(sanitize_line(getattr(block, "source", "")), SOURCE)
    line: TextLine = [("dim", "▨ "), ("tool_out", " · ".join(facts))]
    caption = wrapped([[*line, ("muted", f"  {source}" if source else "")]])
    return RenderedBlock([caption], image=block.data if found else "")


def _held(data: str) -> int:
    """The bytes of base64 `data`, 0 of what is none. What is large is not decoded for a number."""
    if len(data) > HEAD:
        return len(data) * 3 // 4 - data[-2:].count("=")
    try:
        return len(b64decode(data))
    except ValueError:
        return 0


RENDERERS: dict[str, Callable[[Any, str], RenderedBlock]] = {
    "text": _text,
    "code": _code,
    "diff": _diff,
    "files": _files,
    "terminal": _terminal,
    "image": _image,
}


def _chunks(lines: Sequence[TextLine]) -> list[Chunk]:
    return [wrapped(group) for group in line_groups(lines)]


def _title(path: str, subject: str) -> Iterator[Chunk]:
    """The file's name where the row above does not say it, or the end of it."""
    if path and path != subject and not (subject and path.endswith(f"/{subject}")):
        yield wrapped([[("diff.header", detached(sanitize_line(path)))]])


def _groups(lines: Sequence[str], number: int) -> Iterator[tuple[int | None, list[str]]]:
    """The lines of each chunk, and the number of its first one; None if that goes on a line that was cut."""
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
    """A piece of code: its lines, the number of the first of them, and the piece it goes on."""

    __slots__ = ("_before", "_cells", "_first", "_lexing", "_lines", "_path")

    def __init__(self, lines: list[str], path: str, first: int | None, cells: int, before: "_Code | None") -> None:
        self._lines = [detached(expand_tabs(line, 0, TAB)) for line in lines]
        self._path = path
        self._first = first
        self._cells = cells
        self._before = before
        self._lexing: Lexing | None = None

    def rows(self, width: int) -> list[Row[Any]]:
        """See `Chunk`."""
        rows: list[Row[Any]] = []
        rest: Run[Any] = ("dim", " " * (self._cells + 2))
        for index, line in enumerate(self._lexed().rows):
            number = "" if self._first is None else str(self._first + index)
            rows += wrap(line, width, first=[("dim", f"{number:>{self._cells}}  ")], rest=[rest])
        return rows

    def _lexed(self) -> Lexing:
        """The code in colours, from the state that the pieces before end in."""
        waiting = [self]
        while waiting[-1]._lexing is None and waiting[-1]._before is not None:
            waiting.append(waiting[-1]._before)
        found: Lexing | None = None
        for piece in reversed(waiting):
            if piece._lexing is None:
                piece._lexing = lexing(piece._lines, piece._path, found)
            found = piece._lexing
        return found if found is not None else lexing([], "")


def _diff_chunk(lines: Sequence[DiffLine], cells: int) -> Chunk:
    """Some lines of a diff as a chunk, their numbers `cells` wide like those of all others."""
    places: list[list[DiffLine]] = [[]]
    for line in lines:
        if line.sign == "...":
            places.append([])
        else:
            places[-1].append(line)
    starts = [_start(place) for place in places]
    text = "\n".join("..." if line.sign == "..." else line.sign + line.text for line in lines)
    own = max((len(str(line.new or line.old)) for line in lines if line.new or line.old), default=0)
    missing = cells - own + (1 if not own else 0) if cells else 0

    def rows(width: int) -> list[Row[Any]]:
        pad = min(missing, width - 1)
        return [[("dim", " " * pad), *row] for row in diff_rows(text, width - pad, starts)]

    return Chunk(rows, len(lines))


def _start(place: Sequence[DiffLine]) -> tuple[int, int]:
    """The numbers, old and new, that stand where these lines begin; 0 for what is not known."""
    old = next((line.old for line in place if line.old), 0)
    new = next((line.new for line in place if line.new), 0)
    return old or min(new, 1), new or min(old, 1)
