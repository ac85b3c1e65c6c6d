"""`KeyTarget`: what can have the keys. `key_target` makes one of a widget of urwid."""

from collections.abc import Callable
from typing import Any, Protocol

from zot_tui.keys.key import Key, to_urwid


class KeyTarget(Protocol):
    """A widget, or the owner of several, that gets keys and pastes."""

    def press(self, key: Key) -> bool:
        """Handle a key. Return whether it was used."""

    def paste(self, text: str) -> None:
        """Handle a pasted text, which is as it arrived."""


class UrwidTarget:
    """A box widget of urwid, drawn in `size()`. It gets keys under urwid's names, and no pastes."""

    def __init__(self, widget: Any, size: Callable[[], tuple[int, int]]) -> None:
        self._widget, self._size = widget, size

    def press(self, key: Key) -> bool:
        return self._widget.selectable() and self._widget.keypress(self._size(), to_urwid(key)) is None

    def paste(self, text: str) -> None:
        """See `KeyTarget`."""


def key_target(widget: Any, size: Callable[[], tuple[int, int]]) -> KeyTarget:
    """Return the widget itself if it is a `KeyTarget`, else an `UrwidTarget`."""
    target: KeyTarget = widget if hasattr(widget, "press") else UrwidTarget(widget, size)
    return target
