"""`Panels`: the one panel that may be open, as data. A screen draws it and hands over the keys."""

from collections.abc import Callable
from typing import Protocol

from zot_core.conversation.events import ExtensionEvent, Panel, PanelClose, PanelOpen, PanelRender
from zot_ext.protocol import from_host
from zot_ext.protocol.from_extension import PanelRender as RenderFrame
from zot_ext.protocol.values import PanelSpec


class PanelOwner(Protocol):
    """The extension that a panel belongs to."""

    @property
    def name(self) -> str: ...

    def send(self, frame: from_host.FromHost) -> None: ...


class Panels:
    """At most one panel is open; another one takes its place, and its owner is told."""

    def __init__(self, tell: Callable[[ExtensionEvent], None]) -> None:
        self._tell = tell
        self._owner: PanelOwner | None = None
        self.panel: Panel | None = None
        """What is open; None without one."""

    def open(self, owner: PanelOwner, spec: PanelSpec) -> None:
        """Open a panel, or show a panel of the same id anew."""
        if self.panel is not None and not self._is(owner, spec.id):
            self.close()
        self._owner, self.panel = owner, Panel(spec.id, spec.title, spec.lines, spec.footer)
        self._tell(PanelOpen(owner.name, self.panel))

    def render(self, owner: PanelOwner, frame: RenderFrame) -> None:
        """New contents, ignored unless this panel is open. An empty title keeps the old one, a footer is replaced."""
        if self.panel is None or not self._is(owner, frame.panel_id):
            return
        self.panel = Panel(frame.panel_id, frame.title or self.panel.title, frame.lines, frame.footer)
        self._tell(PanelRender(owner.name, self.panel))

    def closed_by(self, owner: PanelOwner, panel_id: str) -> None:
        """The extension closes its panel; it gets no echo."""
        if self._is(owner, panel_id):
            self._gone()

    def close(self) -> None:
        """The person closes the panel, or another one takes its place. Harmless without one."""
        if self._owner is not None and self.panel is not None:
            self._owner.send(from_host.PanelClose(self.panel.id))
            self._gone()

    def key(self, key: str, text: str = "") -> None:
        """A key for the open panel: one of `PANEL_KEYS`, with `text` for "rune"; others are swallowed. `esc` closes."""
        if self._owner is None or self.panel is None:
            return
        if key == "esc":
            self.close()
        elif key in from_host.PANEL_KEYS:
            self._owner.send(from_host.PanelKey(self.panel.id, key, text))

    def drop(self, owner: PanelOwner) -> None:
        """The extension is gone, and its panel with it."""
        if self._owner is owner:
            self._gone()

    def _is(self, owner: PanelOwner, panel_id: str) -> bool:
        return self._owner is owner and self.panel is not None and self.panel.id == panel_id

    def _gone(self) -> None:
        owner, panel = self._owner, self.panel
        self._owner = self.panel = None
        if owner is not None and panel is not None:
            self._tell(PanelClose(owner.name, panel.id))
