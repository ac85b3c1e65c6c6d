"""`ExtensionPainter`: what extensions draw in the conversation."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from zot_core.aio import spawn
from zot_core.conversation.events import WidgetLine
from zot_core.conversation.extensions import DrawLines
from zot_provider.json_text import read_strict
from zot_tui.text.runs import Row, clip_runs
from zot_tui.theme.theme import Theme
from zot_tui.widgets.spans import line_runs
from zot_tui.widgets.transcript.chunks import MARGIN
from zot_tui.widgets.transcript.paint import Part
from zot_tui.widgets.transcript.transcript import Transcript

KEPT = 2000
"""Answers that are kept for each renderer."""
AT_ONCE = 8
"""Questions that are open at the same time."""
MOST_TEXT = 64 * 1024

_Key: TypeAlias = tuple[str, bool, str, int]
"""What an answer is for: the item, whether it is expanded, its state, and the width."""


class _Question(NamedTuple):
    """A question that is open. `wanted` is called with the answer: a cell that is made again asks the same."""

    key: _Key
    task: asyncio.Task[None]
    wanted: set[Callable[[], None]]


class _Renderer:
    """What one extension draws. `latest` has the last answer about each item, at any width."""

    def __init__(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> None:
        self.extension, self.kind, self.name, self.draw, self.most_misses = extension, kind, name, draw, misses
        self.misses = 0
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

    An answer for another width is shown, clipped, until there is one for this width. Of two renderers of the same, the
    newest counts.
    """

    def __init__(self, transcript: Transcript, theme: Callable[[], Theme], note: Callable[[str, str], object]) -> None:
        """`note` shows a line about an extension."""
        self._transcript, self._theme, self._note = transcript, theme, note
        self._renderers: list[_Renderer] = []
        self._turn = asyncio.Semaphore(AT_ONCE)

    def add(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> None:
        """See `ScreenAccess.add_renderer`."""
        self._remove(extension, kind, name)
        self._renderers.insert(0, _Renderer(extension, kind, name, draw, misses))
        self._transcript.refresh()

    def remove(self, extension: str, kind: str = "", name: str = "") -> None:
        """See `ScreenAccess.remove_renderer`."""
        if self._remove(extension, kind, name):
            self._transcript.refresh()

    def _remove(self, extension: str, kind: str, name: str) -> bool:
        removed = [
            each
            for each in self._renderers
            if each.extension == extension and (not kind or (each.kind, each.name) == (kind, name))
        ]
        for each in removed:
            each.forget()
            self._renderers.remove(each)
        return bool(removed)

    def again(self, extension: str, kind: str, name: str) -> None:
        """See `ScreenAccess.render_again`."""
        for each in self._renderers:
            if (each.extension, each.kind, each.name) == (extension, kind, name):
                each.forget()
        self._transcript.refresh()

    def draws(self, kind: str) -> bool:
        """Whether there is a renderer of this kind."""
        return any(each.kind == kind for each in self._renderers)

    def _find(self, kind: str, name: str, owner: str = "") -> _Renderer | None:
        named = [
            each
            for each in self._renderers
            if each.kind == kind and each.name in (name, "*") and owner in ("", each.extension)
        ]
        return next((each for each in named if each.name == name), named[0] if named else None)

    # `Painter`

    def takes(self, kind: str, name: str, owner: str = "") -> bool:
        """See `Painter`."""
        return self._find(kind, name, owner) is not None

    def knows(self, part: Part) -> bool:
        """See `Painter`: at any width, while there is no answer for this one."""
        renderer = self._find(part.kind, part.name, part.item.owner)
        if renderer is None:
            return False
        key: _Key = (part.item.id, part.expanded, part.state, max(self._transcript.columns - MARGIN, 1))
        if key not in renderer.answers:
            self._ask(renderer, part, key)
        return bool(renderer.answers.get(key) or renderer.latest.get(part.item.id))

    def hides(self, part: Part) -> bool:
        """See `Painter`: at any width."""
        renderer = self._find(part.kind, part.name, part.item.owner)
        if renderer is None or renderer.latest.get(part.item.id) != []:
            return False
        shown = part.item.id, part.expanded, part.state
        return any(key[:3] == shown and lines == [] for key, lines in renderer.answers.items())

    def paint(self, part: Part, width: int) -> Sequence[Row[Any]] | None:
        """See `Painter`."""
        renderer = self._find(part.kind, part.name, part.item.owner)
        if renderer is None:
            return None
        key: _Key = (part.item.id, part.expanded, part.state, width)
        if key not in renderer.answers:
            self._ask(renderer, part, key)
        lines = renderer.answers[key] if key in renderer.answers else renderer.latest.get(part.item.id)
        if lines is None:
            return None
        theme = self._theme()
        return [clip_runs(line_runs(line, theme), width) for line in lines]

    def _ask(self, renderer: _Renderer, part: Part, key: _Key) -> None:
        """Ask about a part, unless that is being asked; only the newest question about an item counts."""
        asked = renderer.open.get(part.item.id)
        if asked is not None and asked.key == key:
            asked.wanted.add(part.changed)
            return
        if asked is not None:
            asked.task.cancel()
        task = spawn(self._draw(renderer, part, key), "a renderer of an extension")
        renderer.open[part.item.id] = _Question(key, task, {part.changed})

    async def _draw(self, renderer: _Renderer, part: Part, key: _Key) -> None:
        async with self._turn:
            before = renderer.misses
            try:
                lines = await renderer.draw(_members(part, key[3]))
            except TimeoutError as error:
                lines = None
                renderer.misses = max(renderer.misses, before + 1)  # questions side by side count as one
                self._missed(renderer, str(error))
            else:
                renderer.misses = 0
        wanted = {part.changed}
        asked = renderer.open.get(part.item.id)
        if asked is not None and asked.key == key:
            wanted |= renderer.open.pop(part.item.id).wanted
        renderer.keep(key, lines)
        for changed in wanted:
            changed()

    def _missed(self, renderer: _Renderer, why: str) -> None:
        if renderer.misses >= renderer.most_misses and renderer in self._renderers:
            self._renderers.remove(renderer)
            self._note(f"draws {renderer.name} no more: {why}", renderer.extension)
            self._transcript.refresh()


def _members(part: Part, width: int) -> dict[str, Any]:
    """Return the members of the question `render`."""
    members: dict[str, Any] = {"kind": part.kind, "name": part.name, "item": part.item.id, "width": width}
    members["expanded"] = part.expanded
    if part.item.owner:
        return members | {"data": part.item.content}
    text = "\n".join(block.text for block in part.item.content if hasattr(block, "text"))
    members["text"] = text[:MOST_TEXT]
    return members | ({"state": part.state, "args": _arguments(part.item.arguments)} if part.state else {})


def _arguments(text: str) -> dict[str, Any]:
    try:
        values = read_strict(text)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}
