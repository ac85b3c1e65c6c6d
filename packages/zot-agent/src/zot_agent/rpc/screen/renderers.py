"""`ClientRenderers`: what extensions draw in the conversation, for clients that ask."""

from collections.abc import Callable
from typing import Any, Literal

from zot_agent.extensions.calls.renderer_set import MARKDOWN, Renderer, RendererSet
from zot_core.conversation.events import ExpandChange, Notify, RendererChange, WidgetLine
from zot_core.conversation.extensions import DrawLines


class ClientRenderers:
    """See `RendererAccess`."""

    def __init__(self, emit: Callable[[RendererChange | ExpandChange | Notify], None]) -> None:
        self._emit = emit
        self._set = RendererSet(self._suspended)
        self._expanded = False

    def add_renderer(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> None:
        self._set.remove(extension, kind, name)
        self._tell(self._set.add(extension, kind, name, draw, misses), "set")

    def remove_renderer(self, extension: str, kind: str = "", name: str = "") -> None:
        for each in self._set.remove(extension, kind, name):
            self._tell(each, "removed")

    def render_again(self, extension: str, kind: str, name: str) -> None:
        for each in self._set.of(extension, kind, name):
            self._tell(each, "again")

    @property
    def expanded(self) -> bool:
        return self._expanded

    @expanded.setter
    def expanded(self, expanded: bool) -> None:
        if expanded != self._expanded:
            self._expanded = expanded
            self._emit(ExpandChange(expanded))

    async def draw(self, kind: str, name: str, members: dict[str, Any], owner: str = "") -> list[WidgetLine] | None:
        """Return the lines of the extension that draws this, given the other members of the question `render`; None to
        let the client draw it. `owner` is the extension whose entry it is."""
        if kind == MARKDOWN:
            changed = self._set.draws(MARKDOWN)
            return [await self._set.transform(name, members["text"], members["width"])] if changed else None
        renderer = self._set.find(kind, name, owner)
        if renderer is None:
            return None
        return await self._set.ask(renderer, {"kind": kind, "name": name, **members})

    def _suspended(self, renderer: Renderer, why: str) -> None:
        self._emit(Notify(renderer.extension, "warn", why))
        self._tell(renderer, "removed")

    def _tell(self, renderer: Renderer, change: Literal["set", "again", "removed"]) -> None:
        self._emit(RendererChange(renderer.extension, renderer.kind, renderer.name, change))
