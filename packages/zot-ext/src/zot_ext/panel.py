"""`Panel`: an area of the screen that an extension draws while it is open."""

from __future__ import annotations

from zot_ext.answers import Response
from zot_ext.protocol.from_extension import OpenPanel, PanelClose, PanelRender
from zot_ext.protocol.values import PanelSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol, TypeVar

    from zot_ext.protocol.from_extension import FromExtension

    Handler = TypeVar("Handler", bound=Callable[..., object])
    TextRenderer = TypeVar("TextRenderer", bound=Callable[[], Iterable[str]])

    class PanelHost(Protocol):
        """The part of `Extension` through which a panel reaches the host."""

        def require(self, capability: str) -> None: ...

        def send(self, frame: FromExtension) -> None: ...

        def call(self, method: str, **params: object) -> dict[str, Any]: ...

        def enqueue(self, panel: Any, handler: Callable[..., object]) -> bool: ...


class Panel:
    """A panel, made by `Extension.panel`. It is open only while the user sees it.

    `on_render` returns the lines. `on_key` receives the keys one after the other, and the panel is drawn again after
    every key. `on_close` is called when the user has closed the panel. `title` and `footer` may change at any time.
    """

    group = "panels"

    def __init__(self, id: str, title: str, footer: str, host: PanelHost) -> None:
        self.id = id
        self.title = title
        self.footer = footer
        self.is_open = False
        self.key_handler: Callable[..., object] | None = None
        self.close_handler: Callable[..., object] | None = None
        self._lines: Callable[[], Iterable[Any]] | None = None
        self._host = host

    def on_render(self, handler: TextRenderer) -> TextRenderer:
        """Register the plain function that returns the lines."""
        self._lines = handler
        return handler

    def on_key(self, handler: Handler) -> Handler:
        """Register the key handler. It takes a `PanelKey`: `key`, and for `rune` the character in `text`."""
        self.key_handler = handler
        return handler

    def on_close(self, handler: Handler) -> Handler:
        """Register a handler without arguments for when the user, or another panel, has closed this one."""
        self.close_handler = handler
        return handler

    def open(self) -> Response:
        """Open the panel: return this from a command."""
        return Response("open_panel", panel=self._spec())

    def show(self) -> None:
        """Open the panel outside a command. Raises `NotGranted` unless the host grants `panels`."""
        self._host.require("panels")
        self.is_open = True
        self._host.send(OpenPanel(self._spec()))

    def refresh(self) -> None:
        """Draw the panel again; does nothing while it is closed."""
        if self.is_open:
            spec = self._spec()
            self._host.send(PanelRender(self.id, spec.title, spec.lines, spec.footer))

    def close(self) -> None:
        """Close the panel without calling `on_close`; does nothing while it is closed."""
        if self.is_open:
            self.is_open = False
            self._host.send(PanelClose(self.id))

    def closed(self) -> None:
        """Note that the host has closed the panel."""
        self.is_open = False

    def answer_key(self, seq: int, *, consumed: bool) -> None:
        """Answer a key: only panels of the group `panels2` do."""

    def _spec(self) -> PanelSpec:
        return PanelSpec(self.id, self.title, tuple(self._lines() if self._lines else ()), self.footer)
