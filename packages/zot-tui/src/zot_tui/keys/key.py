"""`Key`: names of keys, their text form, and what urwid calls them; pure.

A key is written as its modifiers and its name joined with `+`: `ctrl+o`, `alt+enter`, `shift+tab`, `pageup`. A typed
character is its own name (`a`, `A`, `?`); `rune` stands for all of them, so that a binding can mean "any typed
character". The space bar is `space`. A capital letter with a modifier is written with `shift`: `ctrl+shift+p`.
"""

from functools import lru_cache
from typing import NamedTuple

MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper")

RUNE = "rune"

_PLAIN = (
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pageup",
    "pagedown",
    "enter",
    "esc",
    "tab",
    "backspace",
    "delete",
)
_RARE = ("insert", "space", "menu", "pause", "printscreen", "capslock", "scrolllock", "numlock")

NAMES = frozenset((*_PLAIN, *_RARE, *(f"f{number}" for number in range(1, 36))))

_ALIASES = {
    "bksp": "backspace",
    "caps lock": "capslock",
    "del": "delete",
    "escape": "esc",
    "ins": "insert",
    "num lock": "numlock",
    "page down": "pagedown",
    "page up": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "pgup": "pageup",
    "print screen": "printscreen",
    "return": "enter",
    "scroll lock": "scrolllock",
    "spacebar": "space",
}
_MODIFIER_ALIASES = {
    "cmd": "super",
    "command": "super",
    "control": "ctrl",
    "meta": "alt",
    "opt": "alt",
    "option": "alt",
}
_TO_URWID = {name: alias for alias, name in _ALIASES.items() if " " in alias} | {"space": " "}
_URWID_MODIFIERS = {"shift": "shift", "meta": "alt", "ctrl": "ctrl", "super": "super", "hyper": "hyper"}  # in its order
_LABELS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "delete": "Del",
    "printscreen": "PrtSc",
    "capslock": "CapsLock",
    "scrolllock": "ScrollLock",
    "numlock": "NumLock",
}


class Key(NamedTuple):
    """A key press. `str()` gives its name for look-up and for files; `parse_key` reads that name.

    `name` is one of `NAMES`, a lower-case letter or other character (with modifiers), or `rune`. `modifiers` are in the
    order of `MODIFIERS`. `text` is what typing the key inserts, for `rune` only.
    """

    name: str
    modifiers: tuple[str, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        shown = ("space" if self.text == " " else self.text) if self.text else self.name
        return "+".join((*self.modifiers, shown))

    @property
    def label(self) -> str:
        """The key as help pages show it: `Ctrl+O`, `Alt+Enter`, `PgUp`, `?`."""
        if self.text and self.text != " ":
            return self.text
        name = "space" if self.text else self.name
        shown = _LABELS.get(name, name.capitalize() if len(name) > 1 else name.upper())
        return "+".join((*(modifier.capitalize() for modifier in self.modifiers), shown))


def parse_key(text: str) -> Key:
    """Return the key that `text` names. Case and the order of modifiers do not matter; common aliases (`Escape`, `cmd`)
    work.

    ValueError, with a one-line message, if there is no such key.
    """
    head, separator, name = _split(text)
    modifiers = [_MODIFIER_ALIASES.get(part, part) for part in head.lower().split("+")] if separator else []
    unknown = [modifier for modifier in modifiers if modifier not in MODIFIERS]
    if unknown:
        raise ValueError(f"{text!r} is not a key: {unknown[0]!r} is none of {', '.join(MODIFIERS)}")
    key = _key(name, set(modifiers))
    if key is None:
        raise ValueError(f"{text!r} is not a key: write it like 'ctrl+o', 'alt+enter' or 'f5'")
    return key


def _split(text: str) -> tuple[str, str, str]:
    """Split into modifiers, separator and name. The name may be `+` itself: `+`, `ctrl++`."""
    if text == "+":
        return "", "", "+"
    if text.endswith("++"):
        return text[:-2], "+", "+"
    head, separator, name = text.rpartition("+")
    return head.strip(), separator, name if len(name) == 1 else name.strip()


def _key(name: str, modifiers: set[str]) -> Key | None:
    """Return the key with this name and these modifiers in any form, or None."""
    small = _ALIASES.get(name.lower(), name.lower())
    if small == " ":
        small = "space"
    if small == RUNE:
        return None if modifiers else Key(RUNE)
    if small == "space" and not modifiers:
        return Key(RUNE, (), " ")
    if small in NAMES:
        return Key(small, _ordered(modifiers))
    if not is_character(name):
        return None
    if not modifiers:
        return Key(RUNE, (), name)
    if modifiers == {"shift"} and len(name.upper()) == 1 and name.upper() != name.lower():
        return Key(RUNE, (), name.upper())
    return Key(name.lower() if len(name.lower()) == 1 else name, _ordered(modifiers))


def _ordered(modifiers: set[str]) -> tuple[str, ...]:
    return tuple(modifier for modifier in MODIFIERS if modifier in modifiers)


def is_character(name: str) -> bool:
    """Whether `name` is one character that can be typed: not a control character, not half of a surrogate pair.

    Other invisible characters count: input methods type joiners and special spaces.
    """
    return len(name) == 1 and (name.isprintable() or (name > "\x9f" and not "\ud800" <= name <= "\udfff"))


@lru_cache(maxsize=1024)
def from_urwid(key: object) -> Key | None:
    """Return the key that urwid 5 reports as `key`: `ctrl o`, `shift meta left`, `page up`, `A`.

    None for anything else: mouse events (tuples), `focus in`, `begin paste`, a modifier alone, a control sequence that
    urwid does not know (`<csi ...>`), media keys.
    """
    if not isinstance(key, str) or not key:
        return None
    modifiers: set[str] = set()
    name = key
    while " " in name[:-1]:
        prefix, _, rest = name.partition(" ")
        modifier = _MODIFIER_ALIASES.get(prefix, prefix)
        if modifier not in MODIFIERS or not rest:
            break
        modifiers.add(modifier)
        name = rest
    if name == "<0>":  # NUL: terminals without a keyboard protocol send it for ctrl+space
        modifiers.add("ctrl")
        name = "space"
    if is_character(name) and modifiers and name != name.lower():
        modifiers.add("shift")  # urwid names a shifted letter by the character it types: `ctrl A`
    return _key(name, modifiers)


def to_urwid(key: Key) -> str:
    """Return urwid's name of a key: the inverse of `from_urwid`."""
    name = key.text or _TO_URWID.get(key.name, key.name)
    modifiers = set(key.modifiers)
    if len(name) == 1 and "shift" in modifiers and len(name.upper()) == 1 and name.upper() != name:
        modifiers.remove("shift")  # urwid names a shifted letter by the character it types
        name = name.upper()
    return "".join(f"{urwid} " for urwid, ours in _URWID_MODIFIERS.items() if ours in modifiers) + name
