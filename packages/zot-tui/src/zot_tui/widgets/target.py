"""`KeyTarget`: what can have the keys. Keys and pastes are sent with `send_key` and `send_paste`."""

from typing import Any, Protocol

from zot_tui.keys.key import Key, to_urwid


class KeyTarget(Protocol):
    """A widget, or the owner of several, that gets keys and pastes."""

    def press(self, key: Key) -> bool:
        """Handle a key. Return whether it was used."""

    def paste(self, text: str) -> None:
        """Handle a pasted text, which is as it arrived."""


def send_key(target: Any, key: Key, size: tuple[int, int]) -> bool:
    """Send a key to a `KeyTarget`, or to a box widget of urwid, drawn in `size`. Return whether it was used."""
    if (press := getattr(target, "press", None)) is not None:
        return bool(press(key))
    return target.selectable() and target.keypress(size, to_urwid(key)) is None


def send_paste(target: Any, text: str) -> None:
    """Send a pasted text to a `KeyTarget`; widgets of urwid do not take pastes."""
    if (paste := getattr(target, "paste", None)) is not None:
        paste(text)
