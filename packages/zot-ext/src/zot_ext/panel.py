"""`Panel`: a part of the screen that belongs to an extension while it is open."""

from __future__ import annotations

from zot_ext.answers import Response
from zot_ext.protocol.from_extension import OpenPanel, PanelClose, PanelRender
from zot_ext.protocol.values import PanelSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from zot_ext.extension import Extension

    Handler = TypeVar("Handler", bound=Callable[..., object])


class Panel:
    """A panel with an id of its own. Made by `Extension.panel`; open only when a person is looking at it.

    `on_render` gives the lines, `on_key` takes the keys one after the other, after each of which the panel is
    drawn anew; `on_close` is told when the person has closed it. `title` and `footer` may be changed at any time.
    """

    def __init__(self, id: str, title: str, footer: str, extension: Extension) -> None:
        self.id = id
        self.title = title
        self.footer = footer
        self.is_open = False
        self.key_handler: Callable[..., object] | None = None
        self.close_handler: Callable[..., object] | None = None
        self._lines: Callable[[], Iterable[str]] | None = None
        self._extension = extension

    def on_render(self, handler: Callable[[], Iterable[str]]) -> Callable[[], Iterable[str]]:
        """Register the plain function that gives the lines."""
        self._lines = handler
        return handler

    def on_key(self, handler: Handler) -> Handler:
        """Register the handler of keys. It takes a `PanelKey`: `key`, and for `rune` the character in `text`."""
        self.key_handler = handler
        return handler

    def on_close(self, handler: Handler) -> Handler:
        """Register what runs when the person, or another panel, has closed this one. It takes nothing."""
        self.close_handler = handler
        return handler

    def open(self) -> Response:
        """Open the panel: give this back from a command."""
        return Response("open_panel", panel=self._spec())

    def show(self) -> None:
        """Open the panel unasked. Raises `NotGranted` unless the host grants `panels`."""
        self._extension.require("panels")
        self.is_open = True
        self._extension.send(OpenPanel(self._spec()))

    def refresh(self) -> None:
        """Draw the panel anew; nothing happens while it is closed."""
        if self.is_open:
            spec = self._spec()
            self._extension.send(PanelRender(self.id, spec.title, spec.lines, spec.footer))

    def close(self) -> None:
        """Close the panel; nothing happens while it is closed. `on_close` is not told."""
        if self.is_open:
            self.is_open = False
            self._extension.send(PanelClose(self.id))

    def _spec(self) -> PanelSpec:
        return PanelSpec(self.id, self.title, tuple(self._lines() if self._lines else ()), self.footer)
