"""`ToolCell`: a step that the other side takes: what ran, how it ended, what changed. No urwid."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias

from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.wrap import wrap
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.transcript.blocks import WORTH, RenderableBlock, RenderedBlock, render_block
from zot_tui.widgets.transcript.cell import Cell, CellStyle
from zot_tui.widgets.transcript.chunks import MARGIN, Chunk, ansi_lines, folded, indented, line_groups, preview, wrapped
from zot_tui.widgets.transcript.images import imaged

Ending: TypeAlias = Literal["ok", "failed", "stopped", "refused"]
"""`stopped` in the middle or before it began, `refused` by somebody who was asked whether it may run."""
State: TypeAlias = Literal["running"] | Ending

LIVE_SIZE = 16 * 1024  # characters of a running step's output that are kept
LIVE_EXPANDED = 40  # rows of it that an expanded cell shows
FRAME = 20  # cells from which there is room for a frame
IMAGES = 4  # that a step shows unless expanded
INDENT = 2  # cells from the margin to what a step shows

_MARKS: dict[State, tuple[str, str]] = {
    "ok": ("success", "●"),
    "failed": ("error", "✗"),
    "stopped": ("warning", "■"),
    "refused": ("warning", "⊘"),
}


class ToolCell(Cell):
    """A call of a tool: a row that says what runs, below it what it shows.

    While it runs that is the end of its output; after `finish` its display blocks, folded past `CellStyle.shown` rows. The
    cell knows tools by the name it is given alone.
    """

    __slots__ = (
        "_argument",
        "_blocks",
        "_drawn",
        "_facts",
        "_frame",
        "_name",
        "_output",
        "_seconds",
        "_state",
        "_style",
    )

    def __init__(self, name: str, argument: str = "", style: CellStyle | None = None) -> None:
        """`argument` is what tells this call from others of the tool: a path, a command."""
        super().__init__()
        self._name = sanitize_line(name)
        self._argument = sanitize(argument).strip()
        self._style = style or CellStyle()
        self._state: State = "running"
        self._frame = 0
        self._output = ""
        self._seconds: float | None = None
        self._facts: tuple[str, ...] = ()
        self._blocks: Sequence[RenderableBlock] = ()
        self._drawn: list[RenderedBlock] | None = None

    @property
    def state(self) -> State:
        """How it stands."""
        return self._state

    @property
    def live(self) -> bool:
        """Whether `finish` is to come."""
        return self._state == "running"

    @property
    def shows(self) -> bool:
        """Its first row at least."""
        return True

    @property
    def tight(self) -> bool:
        """A call that shows one row stands close to others."""
        return not self._style.framed and not self._shows()

    @property
    def argument(self) -> str:
        """What tells this call from others; it may be set again while it comes in pieces."""
        return self._argument

    @argument.setter
    def argument(self, argument: str) -> None:
        self._argument = sanitize(argument).strip()
        self._drawn = None
        self._changed()

    def append_output(self, text: str) -> None:
        """The running step printed more."""
        output = self._output + text
        if len(output) > LIVE_SIZE:
            output = output[-LIVE_SIZE:]
            output = output[output.find("\n") + 1 :]  # not the rest of a line, or of a control sequence
        self._output = output
        self._changed()

    def spin(self, frame: int) -> bool:
        """See `Cell`."""
        if self._state != "running":
            return False
        self._frame = frame
        self._renew_head()
        return True

    def elapsed(self, seconds: float) -> None:
        """It has run for so long."""
        self._seconds = seconds
        self._renew_head()

    def finish(
        self,
        state: Ending,
        blocks: Sequence[RenderableBlock] = (),
        seconds: float | None = None,
        facts: Sequence[str] = (),
    ) -> None:
        """It has ended; what it shows are `blocks`, and `facts` are words for its first row.

        `seconds` is not shown if a block tells it.
        """
        self._state = state
        self._blocks = blocks
        self._seconds = seconds
        self._facts = tuple(map(sanitize_line, facts))
        self._output = ""
        self._drawn = None
        self._changed()

    def folds(self, width: int) -> bool:
        """See `Cell`."""
        inner = self._inside(width)
        if self._state == "running":
            live = self._style.live
            return sum(len(chunk.rows(inner)) for chunk in self._live_chunks(live + 1)) > live
        body, shown = self._body(), self._style.shown
        hidden = preview(body, inner, shown, tail=self._tail())[1] > 0 if shown else bool(body)
        return (
            hidden
            or self._grows(inner)
            or "\n" in self._argument
            or self._head(width, whole=False) != self._head(width, whole=True)
        )

    def _grows(self, width: int) -> bool:
        """Whether an image is larger, or more of them are seen, when it is expanded."""
        gallery = self._style.gallery
        images = [drawn.image for drawn in self._drawings() if drawn.image]
        if gallery is None or not images:
            return False
        shows = gallery()
        return shows.way != "off" and (len(images) > IMAGES or any(shows.grows(each, width) for each in images))

    def release(self) -> None:
        """See `Cell`."""
        super().release()
        if not self.live:
            self._drawn = None

    def _make(self) -> list[Chunk]:
        body = self._shown_chunks()
        if self._style.framed:
            return [self._top(), *(_side(chunk) for chunk in body), Chunk(_bottom)]
        return [self._top(), *(indented(chunk, MARGIN + INDENT) for chunk in body)]

    def _renew_head(self) -> None:
        """Only the first row has changed."""
        if self._chunks is not None:
            self._chunks[0] = self._top()
        self._tell()

    def _top(self) -> Chunk:
        whole = self._expanded
        head = Chunk(lambda width: self._head(width, whole=whole))
        return _framed(head) if self._style.framed else head

    def _shown_chunks(self) -> Sequence[Chunk]:
        style = self._style
        if self._state == "running":
            if not self._shows():
                return []
            limit = LIVE_EXPANDED if self._expanded else style.live
            live = self._live_chunks(limit)
            return [Chunk(lambda width: [row for chunk in live for row in chunk.rows(width)][-limit:])]
        if self._expanded:
            return [chunk for drawn in self._drawings() for chunk in self._with_image(drawn)]
        chunks: list[Chunk] = []
        hung = self._hung()
        for images, group in groupby(self._drawings() if style.shown else (), key=lambda drawn: id(drawn) in hung):
            drawings = list(group)
            found = [chunk for drawn in drawings for chunk in (self._with_image(drawn) if images else drawn.chunks)]
            if found:
                chunks += found if images else [folded(found, style.shown, style.hint, tail=drawings[-1].tail)]
        return chunks

    def _hung(self) -> set[int]:
        """What shows an image unless it is expanded: the first few."""
        drawings = self._drawings() if self._style.gallery is not None else ()
        return {id(drawn) for drawn in [drawn for drawn in drawings if drawn.image][:IMAGES]}

    def _with_image(self, drawn: RenderedBlock) -> list[Chunk]:
        if not drawn.image:
            return drawn.chunks
        caption = drawn.chunks[0]
        return [imaged(caption, drawn.image, self._style, self._changed, large=self._expanded)]

    def _live_chunks(self, limit: int) -> list[Chunk]:
        """The end of the output: what at least `limit` rows of it take, and little more."""
        lines = self._output.rstrip().rsplit("\n", limit)[-limit:]
        return [wrapped(group) for group in line_groups(ansi_lines("\n".join(lines), "tool_out"))]

    def _body(self) -> list[Chunk]:
        return [chunk for drawn in self._drawings() for chunk in drawn.chunks]

    def _drawings(self) -> list[RenderedBlock]:
        if self._drawn is None:
            self._drawn = [render_block(block, self._argument) for block in self._blocks]
        return self._drawn

    def _tail(self) -> bool:
        drawings = self._drawings()
        return bool(drawings) and drawings[-1].tail

    def _inside(self, width: int) -> int:
        """Cells that its body has."""
        taken = MARGIN + INDENT
        return width - taken if width > taken else width

    def _shows(self) -> bool:
        """Whether anything stands below its first row."""
        if self._state == "running":
            return bool(self._output) and not self._output.isspace()
        return any(drawn.chunks for drawn in self._drawings()) and bool(self._style.shown or self._expanded)

    def _head(self, width: int, *, whole: bool) -> list[Row[Any]]:
        """What ran and how it ended: on one row with the argument clipped, or with `whole` on as many as it takes."""
        style, mark = _MARKS.get(self._state, ("spinner", ""))
        mark = mark or self._style.frames[self._frame % len(self._style.frames)]
        end = self._ending()
        named: Row[Any] = [("tool", detached(self._name))]
        first, _, rest = self._argument.partition("\n")
        first = sanitize_line(first)
        if whole:
            argument: Row[Any] = [("text", f" {self._argument}")] if self._argument else []
            spaces: Row[Any] = [(None, " " * MARGIN)]
            return wrap([*named, *argument, *end], width, first=[(style, f"{mark} ")], rest=spaces)
        room = width - MARGIN - runs_width(named) - runs_width(end)
        shown = f" {first} …" if rest else f" {first}" if first else ""
        row: Row[Any] = [(style, f"{mark} "), *named, *clip_runs([("text", shown)], max(room, 0)), *end]
        return [clip_runs(row, width)]

    def _ending(self) -> Row[Any]:
        """What stands behind the argument."""
        facts: list[Row[Any]] = []
        if self._state != "running":
            facts = [drawn.note for drawn in self._drawings() if drawn.note]
        facts += [[("muted", fact)] for fact in self._facts]
        timed = any(block.kind == "terminal" for block in self._blocks)
        if self._seconds is not None and self._seconds >= WORTH and not timed:
            facts.append([("muted", duration(self._seconds))])
        row: Row[Any] = []
        for index, fact in enumerate(facts):
            row += [("muted", " · " if index else "  "), *fact]
        return join(row)


def _framed(head: Chunk) -> Chunk:
    """The head as the upper edge of a box, or as it is where the screen is too narrow for one."""

    def rows(width: int) -> list[Row[Any]]:
        if width < FRAME:
            return [*head.rows(width)]
        edged = []
        for index, row in enumerate(head.rows(width - 5)):
            free = width - 5 - runs_width(row)
            left, right = ("│ ", " " * free + "  │") if index else ("╭ ", " " + "─" * free + "─╮")
            edged.append(join([("border", left), *row, ("border", right)]))
        return edged

    return Chunk(rows)


def _bottom(width: int) -> list[Row[Any]]:
    """The lower edge of a box, or a rule."""
    return [[("border", "╰" + "─" * (width - 2) + "╯" if width >= FRAME else "─" * width)]]


def _side(chunk: Chunk) -> Chunk:
    """The chunk between the left and the right edge of a box."""

    def rows(width: int) -> list[Row[Any]]:
        if width < FRAME:
            return [*chunk.rows(width)]
        inner = width - 4
        return [
            join([("border", "│ "), *row, (None, " " * (inner - runs_width(row))), ("border", " │")])
            for row in chunk.rows(inner)
        ]

    return Chunk(rows, chunk.lines, chunk)
