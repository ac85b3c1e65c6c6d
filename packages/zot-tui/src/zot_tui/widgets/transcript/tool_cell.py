"""`ToolCell`: a step that the other side takes: what ran, how it ended, what changed. No urwid."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias

from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.wrap import wrap
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.transcript.blocks import WORTH, Block, Drawn, draw
from zot_tui.widgets.transcript.cell import Cell, Look
from zot_tui.widgets.transcript.chunks import MARGIN, Part, ansi_lines, chunks, folded, indented, preview, wrapped
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

    While it runs that is the end of its output; after `finish` its display blocks, folded past `Look.shown` rows. The
    cell knows tools by the name it is given alone.
    """

    __slots__ = (
        "_argument",
        "_blocks",
        "_drawn",
        "_facts",
        "_frame",
        "_look",
        "_name",
        "_output",
        "_seconds",
        "_state",
    )

    def __init__(self, name: str, argument: str = "", look: Look | None = None) -> None:
        """`argument` is what tells this call from others of the tool: a path, a command."""
        super().__init__()
        self._name = sanitize_line(name)
        self._argument = sanitize(argument).strip()
        self._look = look or Look()
        self._state: State = "running"
        self._frame = 0
        self._output = ""
        self._seconds: float | None = None
        self._facts: tuple[str, ...] = ()
        self._blocks: Sequence[Block] = ()
        self._drawn: list[Drawn] | None = None

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
        return not self._look.framed and not self._shows()

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
        blocks: Sequence[Block] = (),
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
            live = self._look.live
            return sum(len(part.rows(inner)) for part in self._live_parts(live + 1)) > live
        body, shown = self._body(), self._look.shown
        hidden = preview(body, inner, shown, tail=self._tail())[1] > 0 if shown else bool(body)
        return (
            hidden
            or self._grows(inner)
            or "\n" in self._argument
            or self._head(width, whole=False) != self._head(width, whole=True)
        )

    def _grows(self, width: int) -> bool:
        """Whether an image is larger, or more of them are seen, when it is expanded."""
        gallery = self._look.gallery
        images = [drawn.image for drawn in self._drawings() if drawn.image]
        if gallery is None or not images:
            return False
        shows = gallery()
        return shows.protocol != "off" and (
            len(images) > IMAGES or any(shows.can_expand(each, width) for each in images)
        )

    def release(self) -> None:
        """See `Cell`."""
        super().release()
        if not self.live:
            self._drawn = None

    def _make(self) -> list[Part]:
        body = self._shown_parts()
        if self._look.framed:
            return [self._top(), *(_side(part) for part in body), Part(_bottom)]
        return [self._top(), *(indented(part, MARGIN + INDENT) for part in body)]

    def _renew_head(self) -> None:
        """Only the first row has changed."""
        if self._parts is not None:
            self._parts[0] = self._top()
        self._tell()

    def _top(self) -> Part:
        whole = self._expanded
        head = Part(lambda width: self._head(width, whole=whole))
        return _framed(head) if self._look.framed else head

    def _shown_parts(self) -> Sequence[Part]:
        look = self._look
        if self._state == "running":
            if not self._shows():
                return []
            limit = LIVE_EXPANDED if self._expanded else look.live
            live = self._live_parts(limit)
            return [Part(lambda width: [row for part in live for row in part.rows(width)][-limit:])]
        if self._expanded:
            return [part for drawn in self._drawings() for part in self._with_image(drawn)]
        parts: list[Part] = []
        hung = self._hung()
        for images, group in groupby(self._drawings() if look.shown else (), key=lambda drawn: id(drawn) in hung):
            drawings = list(group)
            found = [part for drawn in drawings for part in (self._with_image(drawn) if images else drawn.parts)]
            if found:
                parts += found if images else [folded(found, look.shown, look.hint, tail=drawings[-1].tail)]
        return parts

    def _hung(self) -> set[int]:
        """What shows an image unless it is expanded: the first few."""
        drawings = self._drawings() if self._look.gallery is not None else ()
        return {id(drawn) for drawn in [drawn for drawn in drawings if drawn.image][:IMAGES]}

    def _with_image(self, drawn: Drawn) -> list[Part]:
        if not drawn.image:
            return drawn.parts
        caption = drawn.parts[0]
        return [imaged(caption, drawn.image, self._look, self._changed, large=self._expanded)]

    def _live_parts(self, limit: int) -> list[Part]:
        """The end of the output: what at least `limit` rows of it take, and little more."""
        lines = self._output.rstrip().rsplit("\n", limit)[-limit:]
        return [wrapped(group) for group in chunks(ansi_lines("\n".join(lines), "tool_out"))]

    def _body(self) -> list[Part]:
        return [part for drawn in self._drawings() for part in drawn.parts]

    def _drawings(self) -> list[Drawn]:
        if self._drawn is None:
            self._drawn = [draw(block, self._argument) for block in self._blocks]
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
        return any(drawn.parts for drawn in self._drawings()) and bool(self._look.shown or self._expanded)

    def _head(self, width: int, *, whole: bool) -> list[Row[Any]]:
        """What ran and how it ended: on one row with the argument clipped, or with `whole` on as many as it takes."""
        style, mark = _MARKS.get(self._state, ("spinner", ""))
        mark = mark or self._look.frames[self._frame % len(self._look.frames)]
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


def _framed(head: Part) -> Part:
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

    return Part(rows)


def _bottom(width: int) -> list[Row[Any]]:
    """The lower edge of a box, or a rule."""
    return [[("border", "╰" + "─" * (width - 2) + "╯" if width >= FRAME else "─" * width)]]


def _side(part: Part) -> Part:
    """The part between the left and the right edge of a box."""

    def rows(width: int) -> list[Row[Any]]:
        if width < FRAME:
            return [*part.rows(width)]
        inner = width - 4
        return [
            join([("border", "│ "), *row, (None, " " * (inner - runs_width(row))), ("border", " │")])
            for row in part.rows(inner)
        ]

    return Part(rows, part.lines, part)
