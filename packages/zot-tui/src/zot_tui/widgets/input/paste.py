"""Joining bracketed pastes: urwid reports `begin paste`, every character as a key, then `end paste`."""

from collections.abc import Iterable
from typing import Any

_EVENTS = ("window resize", "focus in", "focus out")  # urwid reports these among the keys
_CHARACTERS = {"enter": "\n", "tab": "\t", "ctrl j": "\n", "ctrl m": "\n", "ctrl i": "\t"}


class Pasted(str):
    """A paste as one key press, passed on like any key; a widget that takes no pastes returns it."""

    __slots__ = ()


class PasteJoin:
    """Takes keys as urwid reports them and returns each paste as one `Pasted`.

    As the `input_filter` of a `MainLoop` it saves the widgets a key press for every pasted character. Keys that are not
    characters are dropped from a paste, so that control sequences in it have no effect.
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[str] | None = None

    @property
    def open(self) -> bool:
        """Whether a paste has begun and not ended."""
        return self._parts is not None

    def __call__(self, keys: Iterable[Any], raw: object = None) -> list[Any]:
        """Join the keys of one read. Mouse events pass, also during a paste."""
        joined: list[Any] = []
        for key in keys:
            if isinstance(key, str):
                found = self.feed(key)
                if found is not None:
                    joined.append(found)
            else:
                joined.append(key)
        return joined

    def feed(self, key: str) -> str | None:
        """Return the key itself, a `Pasted`, or None while a paste is being read."""
        if key in _EVENTS:
            return key
        if key == "begin paste":
            self._parts = []
            return None
        if self._parts is None:
            return None if key == "end paste" else key
        if key == "end paste":
            text, self._parts = "".join(self._parts), None
            return Pasted(text)
        if isinstance(key, Pasted) or len(key) == 1:
            self._parts.append(key)
        elif key in _CHARACTERS:
            self._parts.append(_CHARACTERS[key])
        return None
