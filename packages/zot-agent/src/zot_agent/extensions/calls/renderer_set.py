"""`RendererSet`: what extensions draw in the conversation, for every front end that shows one."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from zot_core.conversation.events import WidgetLine
from zot_core.conversation.extensions import DrawLines

MARKDOWN, ANSWER = "markdown", "answer"
"""The kind of renderers that change Markdown, and the name of what they change."""

LONGEST = 64 * 1024
"""Characters of a text that extensions may change."""

AT_ONCE = 8
"""Questions that are open at the same time."""


class Renderer:
    """The renderers of one extension."""

    def __init__(self, extension: str, kind: str, name: str, draw: DrawLines, most_misses: int) -> None:
        self.extension, self.kind, self.name, self.draw, self.most_misses = extension, kind, name, draw, most_misses
        self.misses = 0


class RendererSet:
    """Of two renderers of the same the newest counts; one for a name comes before one for `*`."""

    def __init__(self, suspended: Callable[[Renderer, str], None]) -> None:
        """`suspended` is called after a renderer has left the set because it does not answer, with a line that says
        so."""
        self._suspended = suspended
        self._renderers: list[Renderer] = []
        self._ids = itertools.count(1)
        self._turn = asyncio.Semaphore(AT_ONCE)

    def add(self, extension: str, kind: str, name: str, draw: DrawLines, misses: int) -> Renderer:
        """Add a renderer, which is not asked any more after `misses` failures in a row. `remove` the one before it."""
        added = Renderer(extension, kind, name, draw, misses)
        self._renderers.insert(0, added)
        return added

    def remove(self, extension: str, kind: str = "", name: str = "") -> list[Renderer]:
        removed = self.of(extension, kind, name)
        for each in removed:
            self._renderers.remove(each)
        return removed

    def of(self, extension: str, kind: str = "", name: str = "") -> list[Renderer]:
        own = [each for each in self._renderers if each.extension == extension]
        return [each for each in own if not kind or (each.kind, each.name) == (kind, name)]

    def draws(self, kind: str) -> bool:
        return any(each.kind == kind for each in self._renderers)

    def find(self, kind: str, name: str, owner: str = "") -> Renderer | None:
        """Return the renderer that counts; with `owner` one of that extension."""
        named = [
            each
            for each in self._renderers
            if each.kind == kind and each.name in (name, "*") and owner in ("", each.extension)
        ]
        return next((each for each in named if each.name == name), named[0] if named else None)

    async def transform(self, name: str, text: str, width: int) -> str:
        """Return Markdown as it is to be shown, in `width` cells: each renderer, the oldest first, gets the text of the
        one before it."""
        for each in reversed([each for each in self._renderers if each.kind == MARKDOWN and each.name in (name, "*")]):
            if len(text) > LONGEST:
                break
            members = {"kind": MARKDOWN, "name": name, "item": f"{name}-{next(self._ids)}", "width": width}
            changed = await self.ask(each, members | {"text": text})
            text = text if changed is None else "".join(map(str, changed))
        return text

    async def ask(self, renderer: Renderer, members: dict[str, Any]) -> list[WidgetLine] | None:
        """Return the answer to the question `render` with these members; None without one."""
        async with self._turn:
            before = renderer.misses
            try:
                lines = await renderer.draw(members)
            except TimeoutError as error:
                renderer.misses = max(renderer.misses, before + 1)  # questions side by side count as one
                if renderer.misses >= renderer.most_misses and renderer in self._renderers:
                    self._renderers.remove(renderer)
                    self._suspended(renderer, f"no longer draws {renderer.name}: {error}")
                return None
            renderer.misses = 0
            return lines
