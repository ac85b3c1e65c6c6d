"""`PanelOwner` and `PanelSlot`: what panels know of extensions, and of the panel of the first group."""

from collections.abc import Callable
from typing import Protocol

from zot_ext.protocol import from_host


class PanelOwner(Protocol):
    """The extension that a panel belongs to."""

    @property
    def name(self) -> str: ...

    def send(self, frame: from_host.FromHost) -> None: ...


class PanelSlot(Protocol):
    """The panel of the first group. `screen` returns the columns and rows of the screen."""

    in_front: bool
    screen: Callable[[], tuple[int, int]]

    @property
    def panel(self) -> object: ...

    def close(self) -> None: ...
