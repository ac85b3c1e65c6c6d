"""`TextPanel`: an open panel of lines of text, and `PanelOwner`, what panels know of extensions."""

from __future__ import annotations

from typing import Protocol

from zot_agent.extensions import frames
from zot_core.conversation.events import Panel


class PanelOwner(Protocol):
    """The extension that a panel belongs to."""

    @property
    def name(self) -> str: ...

    def send(self, frame: frames.FromHost) -> None: ...


class TextPanel:
    """A panel of text, which is beside the editor and gets keys while it is in front. `shown` is what front ends know
    of it, `order` when it came to the front."""

    beside = wants_keys = visible = True

    def __init__(self, owner: PanelOwner, shown: Panel, order: int) -> None:
        self.owner, self.shown, self.order = owner, shown, order

    @property
    def id(self) -> str:
        """The name that its extension gave it."""
        return self.shown.id
