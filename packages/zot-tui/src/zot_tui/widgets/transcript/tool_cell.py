"""`ToolCell`: a tool call: what ran, how it ended, what changed. No urwid."""

# Longer than 400 lines: what a call looks like, running and finished, folded and joined, is in one class.

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.wrap import wrap
from zot_tui.widgets.amounts import counted
from zot_tui.widgets.transcript.blocks import RenderableBlock, RenderedBlock, render_block
from zot_tui.widgets.transcript.call_row import MARKS, Ending, State, bottom, facts_row, framed, side, summary
from zot_tui.widgets.transcript.cell import Cell, CellStyle, CellText, PaintedItem, Part, with_image
from zot_tui.widgets.transcript.chunks import (
    BODY,
    MARGIN,
    Chunk,
    ansi_lines,
    beside,
    folded,
    indented,
    line_groups,
    preview,
    wrapped,
)

LIVE_SIZE = 16 * 1024  # characters kept of a running call's output
LIVE_EXPANDED = 40  # rows of it in an expanded cell
IMAGES = 4  # images that a call shows unless expanded


class ToolCell(Cell):
    """A tool call: a row that names it, and its body.

    While it runs, the body is the end of its output; after `finish` it is display blocks, folded to `CellStyle.shown`
    rows, and to none if the call was `quiet` and went well. Such calls are drawn as one row by the last of them, see
    `join`, until they are expanded. The cell knows nothing of the tool but its name.
    """

    __slots__ = (
        "_argument",
        "_blocks",
        "_drawn",
        "_facts",
        "_frame",
        "_group",
        "_name",
        "_opened",
        "_output",
        "_quiet",
        "_seconds",
        "_state",
        "_style",
        "item",
    )

    def __init__(self, name: str, argument: str = "", style: CellStyle | None = None) -> None:
        """`argument` distinguishes calls of the same tool: a path, a command."""
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
        self._quiet = self._opened = False
        self._group: list[ToolCell] = [self]  # calls drawn as one row by the last of them, which all share the list
        self.item: PaintedItem | None = None
        """The call, for a painter."""

    @property
    def state(self) -> State:
        """Whether the call runs, or how it ended."""
        return self._state

    @property
    def live(self) -> bool:
        return self._state == "running"

    @property
    def shows(self) -> bool:
        """Whether the cell shows at least its first row: always, without a painter, unless another call of its group
        does."""
        return not self._taken and (self._style.painter is None or bool(self.chunks))

    @property
    def expanded(self) -> bool:
        """Whether the cell shows everything. The calls of a group are expanded together."""
        return self._expanded

    @expanded.setter
    def expanded(self, expanded: bool) -> None:
        for cell in self._group:
            if expanded != cell._expanded:
                cell._expanded = expanded
                cell._changed()

    @property
    def quiet(self) -> bool:
        """Whether the call is a single row: it changes nothing and went well, or it shows what is shown elsewhere."""
        if self._state != "ok" or self._style.framed or self._part("tool_call") or self._body_part():
            return False
        drawings = self._drawings()
        aside = bool(drawings) and not self._opened and all(drawn.aside for drawn in drawings)
        return aside or (self._quiet and not any(drawn.image for drawn in drawings))

    def join(self, earlier: "ToolCell") -> None:
        """Draw a call that came just before in the row of this one, if both are `quiet`; `expanded` shows each."""
        if self._group is earlier._group or not (self._joins and earlier._joins):
            return
        group = [*earlier._group, *self._group]
        for cell in group:
            cell._group = group
            cell._expanded = earlier._expanded
            cell._changed()

    @property
    def _joins(self) -> bool:
        return self._quiet and self.quiet

    @property
    def _taken(self) -> bool:
        return self._group[-1] is not self and not self._expanded

    def open(self) -> None:
        """Show what was shown elsewhere until now."""
        self._opened = True
        self._changed()

    @property
    def tight(self) -> bool:
        """A call with a single row has no empty row around it."""
        return not self._style.framed and not self._has_body()

    @property
    def argument(self) -> str:
        """A path or command that distinguishes this call; it can be set again while its text grows."""
        return self._argument

    @argument.setter
    def argument(self, argument: str) -> None:
        self._argument = sanitize(argument).strip()
        self._drawn = None
        self._changed()

    def texts(self) -> Iterator[CellText]:
        yield CellText(f"{self._name} {self._argument}\n{self._output}")
        yield from (CellText(each.words, markdown=each.kind == "markdown") for each in self._blocks)

    def append_output(self, text: str) -> None:
        output = self._output + text
        if len(output) > LIVE_SIZE:
            output = output[-LIVE_SIZE:]
            output = output[output.find("\n") + 1 :]  # do not begin within a line or control sequence
        self._output = output
        self._changed()

    def progress(self, line: str, facts: Sequence[str], seconds: float | None = None) -> None:
        """Show what the running call does now, in place of its output, and `facts` in its first row."""
        if self._state == "running":
            self._output, self._facts, self._seconds = line, tuple(map(sanitize_line, facts)), seconds
            self._changed()

    def spin(self, frame: int) -> bool:
        if self._state != "running":
            return False
        self._frame = frame
        self._update_head()
        return True

    def elapsed(self, seconds: float) -> None:
        """Show how long the call has been running."""
        self._seconds = seconds
        self._update_head()

    def finish(
        self,
        state: Ending,
        blocks: Sequence[RenderableBlock] = (),
        seconds: float | None = None,
        facts: Sequence[str] = (),
        *,
        quiet: bool = False,
    ) -> None:
        """End the call: `blocks` become its body, `facts` are added to its first row. `quiet`: it has changed nothing.

        `seconds` is not shown if a block contains the duration.
        """
        self._state, self._quiet = state, quiet
        self._blocks = blocks
        self._seconds = seconds
        self._facts = tuple(map(sanitize_line, facts))
        self._output = ""
        self._drawn = None
        self._changed()

    def folds(self, width: int) -> bool:
        inner = self._body_width(width)
        if self._part("tool_call") is not None or self._body_part() is not None:
            return True
        if self._state == "running":
            live = self._style.live
            return sum(len(chunk.rows(inner)) for chunk in self._live_chunks(live + 1)) > live
        if len(self._group) > 1:
            return True
        body, shown = self._body(), self._shown
        hidden = preview(body, inner, shown, tail=self._tail())[1] > 0 if shown else bool(body)
        return (
            hidden
            or self._grows(inner)
            or "\n" in self._argument
            or self._head(width, whole=False) != self._head(width, whole=True)
        )

    def _grows(self, width: int) -> bool:
        """Return whether expanding shows larger or more images."""
        gallery = self._style.gallery
        images = [drawn.image for drawn in self._drawings() if drawn.image]
        if gallery is None or not images:
            return False
        shows = gallery()
        return shows.protocol != "off" and (
            len(images) > IMAGES or any(shows.can_expand(each, width) for each in images)
        )

    def release(self) -> None:
        super().release()
        if not self.live:
            self._drawn = None

    def restyle(self) -> None:
        super().restyle()
        self._drawn = None

    @property
    def _shown(self) -> int:
        """The rows of the result, unless expanded."""
        return 0 if self.quiet else self._style.shown

    def _make(self) -> list[Chunk]:
        if self._taken:
            return []
        top, body = self._painted_top(), self._painted_body()
        if self._style.framed and (top or body):
            return [*(top or [self._top()]), *(side(chunk) for chunk in body), Chunk(bottom)]
        return [*top, *(indented(chunk, BODY) for chunk in body)]

    def _update_head(self) -> None:
        """Make only the first row again."""
        top = self._painted_top()
        if self._chunks and top:
            self._chunks[0] = top[0]
        self._notify()

    def _top(self) -> Chunk:
        whole = self._expanded
        head = Chunk(lambda width: self._head(width, whole=whole))
        return framed(head) if self._style.framed else head

    def _part(self, kind: str) -> Part | None:
        """Return a part of the cell if a painter draws it."""
        painter, item = self._style.painter, self.item
        if painter is None or item is None or not painter.takes(kind, self._name):
            return None
        output = self._output if kind == "tool_progress" else ""
        return Part(kind, self._name, item, self._expanded, self._state, self._changed, output)

    def _body_part(self) -> Part | None:
        """Return what is below the first row if a painter draws it: the result, and before it the output so far."""
        if self._state != "running":
            return self._part("tool_result")
        return self._part("tool_progress") if self._has_body() else None

    def _painted_top(self) -> list[Chunk]:
        """Return the first row, as a painter draws it behind the mark; empty if that hides it."""
        painter, part = self._style.painter, self._part("tool_call")
        if painter is None or part is None:
            return [self._top()]
        if painter.hides(part):
            return []
        style, mark = self._mark()
        whole = self._expanded

        def rows(width: int) -> Sequence[Row[Any]]:
            drawn = painter.paint(part, max(width - MARGIN, 1))
            if drawn is None:
                return self._head(width, whole=whole)
            return beside(Chunk(lambda _: drawn), [(style, f"{mark} ")], [(None, " " * MARGIN)]).rows(width)

        head = Chunk(rows)
        return [framed(head) if self._style.framed else head]

    def _painted_body(self) -> Sequence[Chunk]:
        painter, part = self._style.painter, self._body_part()
        if painter is None or part is None:
            return self._shown_chunks()
        if painter.hides(part):
            return []
        chunks = self._shown_chunks()

        def rows(width: int) -> Sequence[Row[Any]]:
            drawn = painter.paint(part, width)
            return [row for chunk in chunks for row in chunk.rows(width)] if drawn is None else drawn

        return [Chunk(rows)]

    def _mark(self) -> tuple[str, str]:
        style, mark = MARKS.get(self._state, ("spinner", ""))
        return style, mark or self._style.frames[self._frame % len(self._style.frames)]

    def _shown_chunks(self) -> Sequence[Chunk]:
        style = self._style
        if self._state == "running":
            if not self._has_body():
                return []
            limit = LIVE_EXPANDED if self._expanded else style.live
            live = self._live_chunks(limit)
            return [Chunk(lambda width: [row for chunk in live for row in chunk.rows(width)][-limit:])]
        if self._expanded:
            return [chunk for drawn in self._drawings() for chunk in self._with_image(drawn)]
        chunks: list[Chunk] = []
        with_images = self._always_shown()
        for images, group in groupby(
            self._drawings() if self._shown else (), key=lambda drawn: id(drawn) in with_images
        ):
            drawings = list(group)
            found = [chunk for drawn in drawings for chunk in (self._with_image(drawn) if images else drawn.chunks)]
            if found:
                chunks += found if images else [folded(found, self._shown, style.hint, drawings[-1])]
        return chunks

    def _always_shown(self) -> set[int]:
        """Return the ids of the blocks whose images are shown even if the cell is not expanded: the first few."""
        drawings = self._drawings() if self._style.gallery is not None else ()
        return {id(drawn) for drawn in [drawn for drawn in drawings if drawn.image][:IMAGES]}

    def _with_image(self, drawn: RenderedBlock) -> list[Chunk]:
        if not drawn.image:
            return drawn.chunks
        caption = drawn.chunks[0]
        return [with_image(caption, drawn.image, self._style, self._changed, large=self._expanded)]

    def _live_chunks(self, limit: int) -> list[Chunk]:
        """Return the end of the output, at least `limit` rows and little more."""
        lines = self._output.rstrip().rsplit("\n", limit)[-limit:]
        return [wrapped(group) for group in line_groups(ansi_lines("\n".join(lines), "tool_out"))]

    def _body(self) -> list[Chunk]:
        return [chunk for drawn in self._drawings() for chunk in drawn.chunks]

    def _drawings(self) -> list[RenderedBlock]:
        if self._drawn is None:
            sides = self._style.sides
            self._drawn = [render_block(block, self._argument, sides=sides) for block in self._blocks]
        return self._drawn

    def _tail(self) -> bool:
        drawings = self._drawings()
        return bool(drawings) and drawings[-1].tail

    def _body_width(self, width: int) -> int:
        return width - BODY if width > BODY else width

    def _has_body(self) -> bool:
        """Return whether there is anything below the first row."""
        if self._state == "running":
            return bool(self._output) and not self._output.isspace()
        return any(drawn.chunks for drawn in self._drawings()) and bool(self._shown or self._expanded)

    def _head(self, width: int, *, whole: bool) -> list[Row[Any]]:
        """Return what ran and how it ended: one row with the argument clipped, or with `whole` as many as needed."""
        style, mark = self._mark()
        if len(self._group) > 1 and not whole:
            calls = ((cell._name, cell._argument, cell._blocks) for cell in self._group)
            return [clip_runs([(style, f"{mark} "), *summary(calls)], width)]
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
        """Return the facts after the argument."""
        notes: list[Row[Any]] = []
        if self._state != "running":
            drawings = self._drawings()
            notes = [drawn.note for drawn in drawings if drawn.note]
            lines = sum(chunk.lines for drawn in drawings for chunk in drawn.chunks)
            if not notes and lines and self.quiet:
                notes.append([("muted", counted(lines, "line"))])
        timed = any(block.kind == "terminal" for block in self._blocks)
        return facts_row(notes, self._facts, None if timed else self._seconds)
