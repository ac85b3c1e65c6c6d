"""Which chords a terminal can tell, and what it sends instead of those it cannot; pure.

The oldest way is one byte for a key, which knows neither Ctrl+Enter nor Ctrl+Shift+P. Its tables are those of "Legacy
key event encoding" in kitty's description of its keyboard protocol (https://sw.kovidgoyal.net/kitty/keyboard-protocol/)
and of "PC-Style Function Keys" and "Alt and Meta Keys" in xterm's control sequences (ctlseqs). xterm's modifyOtherKeys
and kitty's protocol tell more, and neither tells all.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from zot_tui.keys.key import RUNE, Key, parse_key

Keyboard: TypeAlias = Literal["legacy", "modify other keys", "kitty"]
"""The protocol by which a terminal reports keys."""

# What is sent for Ctrl with a character, where it is not what Ctrl with a letter is for: as the key that it becomes.
_CTRL = {
    "h": "backspace",
    "i": "tab",
    "m": "enter",
    "[": "esc",
    "2": "ctrl+space",
    "@": "ctrl+space",
    "3": "esc",
    "4": "ctrl+\\",
    "5": "ctrl+]",
    "6": "ctrl+^",
    "~": "ctrl+^",
    "7": "ctrl+_",
    "/": "ctrl+_",
    "-": "ctrl+_",
    "8": "backspace",
    "?": "backspace",
}
# Characters that Ctrl makes a byte of by which the key is known again.
_KEPT = frozenset("abcdefgjklnopqrstuvwxyz\\]^_")

# Keys that Ctrl and Shift change: what is sent with each, Alt apart. Without an entry it is the key itself.
_CHANGED = {
    ("backspace", "ctrl"): "backspace",
    ("tab", "shift"): "shift+tab",
    ("tab", "ctrl+shift"): "shift+tab",
    ("space", "ctrl"): "ctrl+space",
    ("space", "ctrl+shift"): "ctrl+space",
}
_SIMPLE = frozenset({"enter", "esc", "backspace", "tab", "space"})

_LOCKS = frozenset({"capslock", "scrolllock", "numlock"})
_ONLY_KITTY = frozenset({"menu", "pause", "printscreen", *(f"f{number}" for number in range(21, 36))})


class UnsupportedKey(NamedTuple):
    """A chord that does not arrive: what does instead, if anything (`tab`), and why, in a few words."""

    sent: str
    reason: str


def unsupported_key(key: Key, keyboard: Keyboard) -> UnsupportedKey | None:
    """Why a chord never arrives from such a terminal; None if it does, or may."""
    modifiers = set(key.modifiers)
    if key.name in _LOCKS:
        return UnsupportedKey("", "no terminal tells of it")
    if key.name == RUNE or (not modifiers and key.name not in _ONLY_KITTY):
        return None
    if modifiers == {"shift"} and (key.name == "space" or len(key.name) == 1):
        return UnsupportedKey("", "it types a character: write that one" if len(key.name) == 1 else "it types a blank")
    if keyboard == "kitty":
        return None
    if modifiers & {"super", "hyper"}:
        return UnsupportedKey("", "this terminal does not tell of Super and Hyper")
    if key.name in _ONLY_KITTY:
        return UnsupportedKey("", "this terminal does not tell of it")
    if keyboard == "modify other keys":
        return None
    return _in_bytes(key, modifiers)


def _in_bytes(key: Key, modifiers: set[str]) -> UnsupportedKey | None:
    """The same where a key is a byte, with Esc before it for Alt."""
    alt = "alt+" if "alt" in modifiers else ""
    rest = "+".join(each for each in ("ctrl", "shift") if each in modifiers)
    if key.name in _SIMPLE:
        sent = _CHANGED.get((key.name, rest), key.name)
    elif len(key.name) > 1:
        return None  # cursor and function keys have their modifiers with them
    elif "ctrl" not in modifiers:
        return None
    elif key.name in _CTRL:
        sent = _CTRL[key.name]
    elif key.name in _KEPT:
        sent = f"ctrl+{key.name}"
    else:
        sent = key.name
    sent = str(parse_key(alt + sent))
    return None if sent == str(key) else UnsupportedKey(sent, f"this terminal does not tell it from {sent}")


def notes(chords: Iterable[str], keyboard: Keyboard, taken: Iterable[str] = ()) -> list[str]:
    """A line for each of a person's chords that never arrives, with what to write instead. `taken` are keys that keep
    their meaning. Chords that are no keys are passed over."""
    keys: dict[str, Key] = {}
    for chord in chords:
        try:
            key = parse_key(chord)
        except ValueError:
            continue
        keys.setdefault(str(key), key)
    taken = frozenset(taken)
    return [
        f"{name} cannot be used: {found.reason}{_advice(key, found, keys, taken)}"
        for name, key in keys.items()
        if name not in taken and (found := unsupported_key(key, keyboard)) is not None
    ]


def _advice(key: Key, found: UnsupportedKey, keys: Iterable[str], taken: frozenset[str]) -> str:
    if found.sent in taken:
        return ", which keeps its meaning; choose another key"
    if found.sent in keys:
        return ", which you have given another meaning"
    letter = key.name if len(key.name) == 1 and key.name.isalnum() and "alt" not in key.modifiers else ""
    other = f"alt+{letter}" if letter else "another key"
    if "+" in found.sent:  # a key without a modifier has a meaning that is better kept
        return f"; write {found.sent}, or {other}"
    return "" if "write" in found.reason else f"; choose {other}"
