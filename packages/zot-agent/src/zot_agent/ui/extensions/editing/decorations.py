"""`EditorDecorations`: how extensions draw the text in the editor."""

import asyncio
from collections.abc import Sequence
from typing import Any

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.screen import Screen
from zot_core.aio import spawn
from zot_core.conversation.extensions import AskEditor
from zot_tui.color import DEFAULT
from zot_tui.editor.buffer import alike
from zot_tui.text.ansi import Sgr
from zot_tui.theme.theme import Theme
from zot_tui.widgets.spans import span_style

PAUSE = 0.03
"""Seconds before an extension is asked, so that keys in a row are one question."""

MOST_TEXT = 64 * 1024
MOST_SPANS = 5000
MOST_MISSES = 5
"""After this number of questions in a row without an answer, an extension is no longer asked."""

Marks = list[Any]
"""The style of each character; None where nothing is said."""


class _Decorator:
    """One extension: how it is asked, and what it said about the text that is there."""

    def __init__(self, extension: str, ask: AskEditor) -> None:
        self.extension, self.ask = extension, ask
        self.marks: Marks = []
        self.misses = 0
        self.wanted = 0
        """Counts the requests to ask."""
        self.task: asyncio.Task[None] | None = None


class EditorDecorations:
    """Asks extensions in the background. An answer is dropped if the text is another one by now; until the
    next one, the styles move with their characters. What the newest extension says is over the rest."""

    def __init__(self, chat: Chat, view: Screen) -> None:
        self._chat, self._editor = chat, view.editor
        self._decorators: dict[str, _Decorator] = {}
        self._text, self._cursor = self._editor.text, self._editor.buffer.cursor
        self._editor.edited.connect(self._edited)
        chat.themes.switched.connect(lambda _: self._ask_all())

    def add(self, extension: str, ask: AskEditor) -> None:
        """Ask an extension, now and after every change; if that is done already, once more."""
        decorator = self._decorators.get(extension)
        if decorator is None:
            decorator = self._decorators[extension] = _Decorator(extension, ask)
            decorator.marks = [None] * len(self._text)
        decorator.ask = ask
        self._ask(decorator)

    def remove(self, extension: str) -> None:
        """Forget what an extension has said."""
        decorator = self._decorators.pop(extension, None)
        if decorator is None:
            return
        if decorator.task is not None:
            decorator.task.cancel()
        self._draw()

    def _edited(self) -> None:
        text, cursor = self._editor.text, self._editor.buffer.cursor
        if (text, cursor) == (self._text, self._cursor):
            return
        before, self._text, self._cursor = self._text, text, cursor
        if not self._decorators:
            return
        if text != before:
            for decorator in self._decorators.values():
                decorator.marks = _moved(decorator.marks, before, text)
            self._draw()
        self._ask_all()

    def _ask_all(self) -> None:
        for decorator in self._decorators.values():
            self._ask(decorator)

    def _ask(self, decorator: _Decorator) -> None:
        decorator.wanted += 1
        if decorator.task is None or decorator.task.done():
            decorator.task = spawn(self._follow(decorator), "how extensions draw the editor")

    async def _follow(self, decorator: _Decorator) -> None:
        """Ask until there is an answer about the newest text."""
        asked = 0
        while asked != decorator.wanted:
            await asyncio.sleep(PAUSE)
            asked, text = decorator.wanted, self._text
            if not text or len(text) > MOST_TEXT:
                continue
            try:
                answer = await decorator.ask({"text": text, "cursor": self._cursor})
            except TimeoutError as error:
                if self._missed(decorator, str(error)):
                    return
                continue
            decorator.misses = 0
            if self._text == text:
                decorator.marks = read_marks(answer.get("spans") or (), len(text), self._chat.app.theme)
                self._draw()
                self._chat.app.redraw()

    def _missed(self, decorator: _Decorator, why: str) -> bool:
        decorator.misses += 1
        if decorator.misses < MOST_MISSES:
            return False
        if self._decorators.get(decorator.extension) is decorator:
            del self._decorators[decorator.extension]
            self._draw()
            self._chat.presenter.note(f"no longer draws the editor: {why}", "warning", decorator.extension)
        return True

    def _draw(self) -> None:
        """Put what the extensions have said together."""
        size = len(self._text)
        known = [each.marks for each in self._decorators.values() if len(each.marks) == size and any(each.marks)]
        marks: Marks = known[0] if len(known) == 1 else []
        if len(known) > 1:
            marks = [
                next((mark for mark in reversed(each) if mark is not None), None) for each in zip(*known, strict=True)
            ]
        if marks != self._editor.marks:
            self._editor.marks = marks
            self._editor.restyle()


def read_marks(spans: Sequence[Any], size: int, theme: Theme) -> Marks:
    """Return the styles that spans give the characters of a text of `size`; unusable spans are left out."""
    marks: Marks = [None] * size
    styles: dict[str, Any] = {}
    for span in spans[:MOST_SPANS]:
        if not isinstance(span, dict):
            continue
        start, end = span.get("start"), span.get("end")
        if not isinstance(start, int) or not isinstance(end, int):
            continue
        start, end = max(start, 0), min(end, size)
        look = {name: value for name, value in span.items() if name not in ("start", "end")}
        style = styles.setdefault(repr(look), None)
        if style is None:
            style = styles[repr(look)] = _style(look, theme)
        if start < end:
            marks[start:end] = [style] * (end - start)
    return marks


def _style(look: dict[str, Any], theme: Theme) -> Any:
    style = span_style({"text": "", **look}, theme, "editor")
    if isinstance(style, Sgr) and style.background == DEFAULT and not look.get("bg"):
        return style._replace(background=theme.style("editor").background or DEFAULT)
    return style


def _moved(marks: Marks, before: str, after: str) -> Marks:
    """Return the styles for a text that has changed: each stays with its character, and what is new has none."""
    if len(marks) != len(before):
        return [None] * len(after)
    same = alike(before, after)
    rest = min(len(before), len(after)) - same
    tail = min(alike(before[::-1], after[::-1]), rest)
    return [*marks[:same], *[None] * (len(after) - same - tail), *marks[len(before) - tail :]]
