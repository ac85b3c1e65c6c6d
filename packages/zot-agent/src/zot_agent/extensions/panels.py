"""`Panels`: the one open panel, as data. A screen draws it and passes on its keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from zot_agent.extensions import frames
from zot_core.conversation.events import ExtensionEvent, Panel, PanelClose, PanelOpen, PanelRender
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.values import PanelSpec

if TYPE_CHECKING:
    from typing import TypeAlias

    from zot_agent.extensions.screen_panels.owner import PanelOwner
    from zot_agent.extensions.screen_panels.panels import ScreenPanels

    PanelFrame: TypeAlias = (
        frames.OpenPanel | frames.PanelRender | frames.PanelClose | frames.PanelDraw | frames.PanelKeyResult
    )


class Panels:
    """At most one panel is open. Opening another one closes it and notifies its owner."""

    def __init__(self, emit: Callable[[ExtensionEvent], None], limits: ExtensionLimits = DEFAULT_LIMITS) -> None:
        self._emit, self._limits = emit, limits
        self._owner: PanelOwner | None = None
        self.panel: Panel | None = None
        """The open panel, or None."""
        self.in_front = True
        """Whether it has the keys, and not one of the newer panels."""
        self.screen: Callable[[], tuple[int, int]] = lambda: (80, 24)
        """Returns the columns and rows of the screen; call `resized` when they have changed."""
        self._newer: ScreenPanels | None = None

    @property
    def newer(self) -> ScreenPanels:
        """The panels of the group `panels2`."""
        if self._newer is None:
            from zot_agent.extensions.screen_panels.panels import ScreenPanels  # noqa: PLC0415  few extensions have them

            self._newer = ScreenPanels(self._emit, self, self._limits)
        return self._newer

    @property
    def drawn(self) -> ScreenPanels | None:
        """The same, None before the first of them."""
        return self._newer

    @property
    def open_now(self) -> bool:
        """Whether a panel is open."""
        return self.panel is not None or (self._newer is not None and self._newer.open_now)

    def resized(self) -> None:
        """Follow the size of the screen."""
        if self._newer is not None:
            self._newer.resize()

    def received(self, owner: PanelOwner, frame: PanelFrame) -> None:
        """Carry out a frame of an extension."""
        match frame:
            case frames.OpenPanel(panel):
                self.open(owner, panel)
            case frames.PanelRender():
                self.render(owner, frame)
            case frames.PanelClose(panel_id):
                self.closed_by(owner, panel_id)
            case frames.PanelDraw() | frames.PanelKeyResult() if self._newer is not None:
                self._newer.received(owner, frame)

    def open(self, owner: PanelOwner, spec: PanelSpec) -> None:
        """Open a panel, or replace the open panel of the same id."""
        if self.panel is not None and not self._is(owner, spec.id):
            self.close()
        self.in_front = True
        if self._newer is not None:
            self._newer.close_beside()
        self._owner, self.panel = owner, Panel(spec.id, spec.title, spec.lines, spec.footer)
        self._emit(PanelOpen(owner.name, self.panel))
        if self._newer is not None:
            self._newer.outdated()

    def render(self, owner: PanelOwner, frame: frames.PanelRender) -> None:
        """Show new contents; ignored unless this panel is open. An empty title keeps the old title; the footer is
        always replaced."""
        if self.panel is None or not self._is(owner, frame.panel_id):
            return
        self.panel = Panel(frame.panel_id, frame.title or self.panel.title, frame.lines, frame.footer)
        self._emit(PanelRender(owner.name, self.panel))

    def closed_by(self, owner: PanelOwner, panel_id: str) -> None:
        """Close the panel because its extension said so; the extension is not notified."""
        if self._is(owner, panel_id):
            self._remove()
        elif self._newer is not None:
            self._newer.closed_by(owner, panel_id)

    def close(self) -> None:
        """Close the panel and notify its extension. Harmless if no panel is open."""
        if self._owner is not None and self.panel is not None:
            from zot_ext.protocol.from_host import PanelClose as CloseFrame  # noqa: PLC0415  few extensions have panels

            self._owner.send(CloseFrame(self.panel.id))
            self._remove()

    def key(self, key: str, text: str = "") -> None:
        """Send a key to the open panel: one of `PANEL_KEYS`, with `text` for "rune". `esc` closes the panel; other keys
        are ignored."""
        if self._owner is None or self.panel is None:
            return
        if key == "esc":
            self.close()
        elif key in frames.PANEL_KEYS:
            self._owner.send(frames.PanelKey(self.panel.id, key, text))

    def drop(self, owner: PanelOwner) -> None:
        """Close the panel of an extension that has ended."""
        if self._owner is owner:
            self._remove()
        if self._newer is not None:
            self._newer.drop(owner)

    def _is(self, owner: PanelOwner, panel_id: str) -> bool:
        return self._owner is owner and self.panel is not None and self.panel.id == panel_id

    def _remove(self) -> None:
        owner, panel = self._owner, self.panel
        self._owner = self.panel = None
        if owner is not None and panel is not None:
            self._emit(PanelClose(owner.name, panel.id))
        if self._newer is not None:
            self._newer.outdated()
