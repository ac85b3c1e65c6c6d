"""`FakeScreenUser`: the part of `FakeHost` that types words and draws what an extension renders."""

from __future__ import annotations

from typing import Any

from zot_ext.protocol.events.questions import COMPLETE, EDITOR_DECORATE, EDITOR_KEY, RENDER
from zot_ext.testing.fake_pipe import ExtensionPipe

REGISTRATIONS: dict[str, dict[str, object]] = {
    "completions.register": {},
    "renderers.register": {},
    "editor.keys": {},
    "editor.decorate": {},
    "editor.modes": {},
}
"""Answers that a `FakeHost` gives by itself."""


class FakeScreenUser(ExtensionPipe):
    """A base class of `FakeHost`."""

    def complete(self, trigger: str = "", prefix: str = "", *, command: str = "", line: str = "") -> list[Any]:
        """Type a word, or an argument of a command, and return the suggestions as they are on the wire."""
        line = line or (f"/{command} {prefix}" if command else trigger + prefix)
        answer = self.intercept(COMPLETE, trigger=trigger, command=command, prefix=prefix, line=line)
        items: Any = answer.extra.get("items")
        return list(items or ())

    def render(self, kind: str, name: str, *, width: int = 80, **members: Any) -> list[Any] | None:
        """Draw something and return the lines; None if the host is to draw it. `members` come from the question."""
        state = "ok" if kind.startswith("tool") else ""
        given = {"item": "item-1", "state": state, "expanded": False, "args": {}, **members}
        lines: Any = self.intercept(RENDER, kind=kind, name=name, width=width, **given).extra.get("lines")
        return None if lines is None else list(lines)

    def transform(self, text: str, *, width: int = 80) -> str:
        """Show an answer, and return the Markdown that is shown."""
        asked = {"kind": "markdown", "name": "answer", "item": "answer-1", "width": width, "text": text}
        changed = self.intercept(RENDER, **asked).extra.get("text")
        return text if changed is None else str(changed)

    def press_in_editor(
        self, key: str, typed: str = "", *, text: str = "", cursor: int | None = None, **members: Any
    ) -> dict[str, Any]:
        """Press a key in the editor, where `text` is being typed, and return the answer as it is on the wire."""
        given: dict[str, Any] = {"mods": [], "mode": "", **members}
        at = len(text) if cursor is None else cursor
        return dict(self.intercept(EDITOR_KEY, key=key, typed=typed, text=text, cursor=at, **given).extra)

    def decorate(self, text: str, cursor: int | None = None) -> list[Any]:
        """Type a text into the editor, and return the spans with which it is drawn."""
        at = len(text) if cursor is None else cursor
        spans: Any = self.intercept(EDITOR_DECORATE, text=text, cursor=at).extra.get("spans")
        return list(spans or ())
