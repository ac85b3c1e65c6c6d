"""`ClientRenderers`: what extensions draw in the conversation, for clients that ask."""

import asyncio
from collections.abc import Callable
from typing import Any, Literal

from zot_core.conversation.events import ExpandChange, Notify, RendererChange, WidgetLine
from zot_core.conversation.extensions import DrawLines, NotDrawn

KINDS = ("tool_call", "tool_result", "message")
"""What clients show; they do not get the entries that extensions store."""

AT_ONCE = 8
"""Questions that are open at the same time."""


class _Renderer:
    """What one extension draws."""

    def __init__(self, extension: str, kind: str, name: str, draw: DrawLines, most_misses: int) -> None:
        self.extension, self.kind, self.name, self.draw, self.most_misses = extension, kind, name, draw, most_misses
        self.misses = 0


class ClientRenderers:
    """See `RendererAccess`. Of two renderers of the same the newest counts; one for a name comes before one for `*`."""

    def __init__(self, emit: Callable[[RendererChange | ExpandChange | Notify], None]) -> None:
        self._emit = emit
        self._renderers: list[_Renderer] = []
        self._expanded = False
        self._turn = asyncio.Semaphore(AT_ONCE)

    def add_renderer(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> None:
        """See `RendererAccess`."""
        if kind not in KINDS:
            raise NotDrawn(f"clients show no renderings of the kind {kind}")
        self._renderers = [
            each for each in self._renderers if (each.extension, each.kind, each.name) != (extension, kind, name)
        ]
        self._renderers.insert(0, _Renderer(extension, kind, name, draw, misses))
        self._tell(self._renderers[0], "set")

    def remove_renderer(self, extension: str, kind: str = "", name: str = "") -> None:
        """See `RendererAccess`."""
        for each in [each for each in self._renderers if each.extension == extension]:
            if not kind or (each.kind, each.name) == (kind, name):
                self._renderers.remove(each)
                self._tell(each, "removed")

    def render_again(self, extension: str, kind: str, name: str) -> None:
        """See `RendererAccess`."""
        for each in self._renderers:
            if (each.extension, each.kind, each.name) == (extension, kind, name):
                self._tell(each, "again")

    @property
    def expanded(self) -> bool:
        """See `RendererAccess`."""
        return self._expanded

    @expanded.setter
    def expanded(self, expanded: bool) -> None:
        if expanded != self._expanded:
            self._expanded = expanded
            self._emit(ExpandChange(expanded))

    async def draw(self, kind: str, name: str, members: dict[str, Any]) -> list[WidgetLine] | None:
        """Return the lines of the extension that draws this, given the other members of the question `render`; None to
        let the client draw it."""
        async with self._turn:
            renderer = self._find(kind, name)
            if renderer is None:
                return None
            before = renderer.misses
            try:
                lines = await renderer.draw({"kind": kind, "name": name, **members})
            except TimeoutError as error:
                renderer.misses = max(renderer.misses, before + 1)  # questions side by side count as one
                self._missed(renderer, str(error))
                return None
            renderer.misses = 0
            return lines

    def _find(self, kind: str, name: str) -> _Renderer | None:
        named = [each for each in self._renderers if each.kind == kind and each.name in (name, "*")]
        return next((each for each in named if each.name == name), named[0] if named else None)

    def _missed(self, renderer: _Renderer, why: str) -> None:
        if renderer.misses >= renderer.most_misses and renderer in self._renderers:
            self._renderers.remove(renderer)
            self._emit(Notify(renderer.extension, "warn", f"draws {renderer.name} no more: {why}"))
            self._tell(renderer, "removed")

    def _tell(self, renderer: _Renderer, change: Literal["set", "again", "removed"]) -> None:
        self._emit(RendererChange(renderer.extension, renderer.kind, renderer.name, change))
