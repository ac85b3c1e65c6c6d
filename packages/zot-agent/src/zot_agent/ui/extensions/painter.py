"""`ExtensionPainter`: what extensions draw in the conversation."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from zot_agent.extensions.calls.renderer_set import Renderer, RendererSet
from zot_core.aio import spawn
from zot_core.conversation.events import WidgetLine
from zot_core.conversation.extensions import DrawLines
from zot_provider.json_text import read_object
from zot_provider.messages import TextBlock
from zot_tui.signal import Signal
from zot_tui.text.runs import Row, clip_runs
from zot_tui.theme.theme import Theme
from zot_tui.widgets.spans import line_runs
from zot_tui.widgets.transcript.cell import Part
from zot_tui.widgets.transcript.chunks import MARGIN
from zot_tui.widgets.transcript.transcript import Transcript

KEPT = 2000
"""Answers that are kept for each renderer."""
MOST_TEXT = 64 * 1024

_Key: TypeAlias = tuple[str, bool, str, int, int]
"""The question behind an answer: the item, whether it is expanded, its state, the hash of what a call has written, and
the width."""


class _Question(NamedTuple):
    """A question that is open. `wanted` is called with the answer: a cell that is made again asks the same."""

    key: _Key
    task: asyncio.Task[None]
    wanted: set[Callable[[], None]]


class _Answers:
    """The answers of one renderer. `latest` has the last answer about each item, at any width."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self.answers: OrderedDict[_Key, list[WidgetLine] | None] = OrderedDict()
        self.latest: dict[str, list[WidgetLine] | None] = {}
        self.open: dict[str, _Question] = {}  # by item

    def keep(self, key: _Key, lines: list[WidgetLine] | None) -> None:
        """Keep an answer, and forget the oldest one."""
        self.answers[key] = self.latest[key[0]] = lines
        if len(self.answers) > KEPT:
            oldest, _ = self.answers.popitem(last=False)
            self.latest.pop(oldest[0], None)

    def forget(self) -> None:
        """Forget all answers, and take open questions back."""
        for question in self.open.values():
            question.task.cancel()
        self.answers.clear()
        self.latest.clear()
        self.open.clear()


class ExtensionPainter:
    """Draws what extensions have answered; until then, and without an answer, cells draw themselves.

    An answer for another width is shown, clipped, until there is one for this width.
    """

    def __init__(self, transcript: Transcript, theme: Callable[[], Theme], note: Callable[[str, str], object]) -> None:
        """`note` shows a line about an extension."""
        self._transcript, self._theme, self._note = transcript, theme, note
        self.renderers = RendererSet(self._suspended)
        self.changed: Signal[[str]] = Signal()
        """Emitted with the kind of a renderer that has come or gone, or draws in another way."""
        self._answers: dict[Renderer, _Answers] = {}

    def add(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> None:
        self._remove(extension, kind, name)
        renderer = self.renderers.add(extension, kind, name, draw, misses)
        self._answers[renderer] = _Answers(renderer)
        self._refresh({kind})

    def remove(self, extension: str, kind: str = "", name: str = "") -> None:
        if kinds := self._remove(extension, kind, name):
            self._refresh(kinds)

    def _refresh(self, kinds: set[str]) -> None:
        self._transcript.refresh()
        for each in kinds:
            self.changed.emit(each)

    def _remove(self, extension: str, kind: str, name: str) -> set[str]:
        removed = self.renderers.remove(extension, kind, name)
        for each in removed:
            self._answers.pop(each).forget()
        return {each.kind for each in removed}

    def again(self, extension: str, kind: str, name: str) -> None:
        for each in self.renderers.of(extension, kind, name):
            self._answers[each].forget()
        self._refresh({kind})

    def draws(self, kind: str) -> bool:
        return self.renderers.draws(kind)

    def _suspended(self, renderer: Renderer, why: str) -> None:
        self._answers.pop(renderer)
        self._note(why, renderer.extension)
        self._refresh({renderer.kind})

    # `Painter`

    def takes(self, kind: str, name: str, owner: str = "") -> bool:
        return self.renderers.find(kind, name, owner) is not None

    def knows(self, part: Part) -> bool:
        """See `Painter`: at any width, while there is no answer for this one."""
        drawn = self._find(part)
        if drawn is None:
            return False
        key = _key(part, max(self._transcript.columns - MARGIN, 1))
        if key not in drawn.answers:
            self._ask(drawn, part, key)
        return bool(drawn.answers.get(key) or drawn.latest.get(part.item.id))

    def hides(self, part: Part) -> bool:
        """See `Painter`: at any width."""
        drawn = self._find(part)
        if drawn is None or drawn.latest.get(part.item.id) != []:
            return False
        shown = _key(part, 0)[:4]
        return any(key[:4] == shown and lines == [] for key, lines in drawn.answers.items())

    def paint(self, part: Part, width: int) -> Sequence[Row[Any]] | None:
        drawn = self._find(part)
        if drawn is None:
            return None
        key = _key(part, width)
        if key not in drawn.answers:
            self._ask(drawn, part, key)
        lines = drawn.answers[key] if key in drawn.answers else drawn.latest.get(part.item.id)
        if lines is None:
            return None
        theme = self._theme()
        return [clip_runs(line_runs(line, theme), width) for line in lines]

    def _find(self, part: Part) -> _Answers | None:
        renderer = self.renderers.find(part.kind, part.name, part.item.owner)
        return None if renderer is None else self._answers[renderer]

    def _ask(self, drawn: _Answers, part: Part, key: _Key) -> None:
        """Ask about a part, unless that is being asked; only the newest question about an item counts."""
        asked = drawn.open.get(part.item.id)
        if asked is not None and asked.key == key:
            asked.wanted.add(part.changed)
            return
        if asked is not None:
            asked.task.cancel()
        task = spawn(self._draw(drawn, part, key), "a renderer of an extension")
        drawn.open[part.item.id] = _Question(key, task, {part.changed})

    async def _draw(self, drawn: _Answers, part: Part, key: _Key) -> None:
        lines = await self.renderers.ask(drawn.renderer, _members(part, key[4]))
        wanted = {part.changed}
        asked = drawn.open.get(part.item.id)
        if asked is not None and asked.key == key:
            wanted |= drawn.open.pop(part.item.id).wanted
        drawn.keep(key, lines)
        for changed in wanted:
            changed()


def _key(part: Part, width: int) -> _Key:
    return part.item.id, part.expanded, part.state, hash(part.output), width


def _members(part: Part, width: int) -> dict[str, Any]:
    """Return the members of the question `render`."""
    members: dict[str, Any] = {"kind": part.kind, "name": part.name, "item": part.item.id, "width": width}
    members["expanded"] = part.expanded
    if part.item.owner:
        return members | {"data": part.item.content}
    text = part.output or "\n".join(block.text for block in part.item.content if isinstance(block, TextBlock))
    members["text"] = text[:MOST_TEXT]
    return members | ({"state": part.state, "args": read_object(part.item.arguments)} if part.state else {})
