"""Which key chords a terminal can report, and what it sends instead of the others; pure.

In the legacy protocol a key is one byte, which cannot express Ctrl+Enter or Ctrl+Shift+P. The tables follow "Legacy key
event encoding" in the description of kitty's keyboard protocol (https://sw.kovidgoyal.net/kitty/keyboard-protocol/),
and "PC-Style Function Keys" and "Alt and Meta Keys" in xterm's control sequences (ctlseqs). xterm's modifyOtherKeys and
kitty's protocol report more chords, but neither reports all.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from zot_tui.keys.key import RUNE, Key, parse_key

Keyboard: TypeAlias = Literal["legacy", "modify other keys", "kitty"]
"""How a terminal reports keys."""

# Ctrl with a character, where the terminal sends the byte of another key: that key.
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
# Characters that Ctrl turns into a byte of their own.
_KEPT = frozenset("abcdefgjklnopqrstuvwxyz\\]^_")

# What special keys send with Ctrl and Shift, Alt aside. Without an entry, the key itself.
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
    """A chord that never arrives: what arrives instead, if anything (`tab`), and the reason in a few words."""

    sent: str
    reason: str


def unsupported_key(key: Key, keyboard: Keyboard) -> UnsupportedKey | None:
    """Return why a chord never arrives from a terminal with this protocol; None if it does, or may."""
    modifiers = set(key.modifiers)
    if key.name in _LOCKS:
        return UnsupportedKey("", "no terminal reports it")
    if key.name == RUNE or (not modifiers and key.name not in _ONLY_KITTY):
        return None
    if modifiers == {"shift"} and (key.name == "space" or len(key.name) == 1):
        return UnsupportedKey("", "it types a character: write that" if len(key.name) == 1 else "it types a space")
    if keyboard == "kitty":
        return None
    if modifiers & {"super", "hyper"}:
        return UnsupportedKey("", "this terminal does not report Super and Hyper")
    if key.name in _ONLY_KITTY:
        return UnsupportedKey("", "this terminal does not report it")
    if keyboard == "modify other keys":
        return None
    return _in_bytes(key, modifiers)


def _in_bytes(key: Key, modifiers: set[str]) -> UnsupportedKey | None:
    """`unsupported_key` for the legacy protocol, where a key is a byte, preceded by Esc for Alt."""
    alt = "alt+" if "alt" in modifiers else ""
    rest = "+".join(each for each in ("ctrl", "shift") if each in modifiers)
    if key.name in _SIMPLE:
        sent = _CHANGED.get((key.name, rest), key.name)
    elif len(key.name) > 1:
        return None  # the sequences of cursor and function keys include modifiers
    elif "ctrl" not in modifiers:
        return None
    elif key.name in _CTRL:
        sent = _CTRL[key.name]
    elif key.name in _KEPT:
        sent = f"ctrl+{key.name}"
    else:
        sent = key.name
    sent = str(parse_key(alt + sent))
    return None if sent == str(key) else UnsupportedKey(sent, f"this terminal sends {sent} for it")


def notes(chords: Iterable[str], keyboard: Keyboard, taken: Iterable[str] = ()) -> list[str]:
    """Return a line for each of the user's chords that never arrives, with an alternative.

    `taken` are reserved keys. Chords that are not keys are skipped.
    """
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
        return ", which is reserved; choose another key"
    if found.sent in keys:
        return ", which you have bound as well"
    letter = key.name if len(key.name) == 1 and key.name.isalnum() and "alt" not in key.modifiers else ""
    other = f"alt+{letter}" if letter else "another key"
    if "+" in found.sent:  # a key without a modifier should keep its meaning
        return f"; write {found.sent}, or {other}"
    return "" if "write" in found.reason else f"; choose {other}"
