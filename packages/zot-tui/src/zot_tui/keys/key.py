"""Keys: their names, reading and showing them, and what urwid and panels call them; pure.

A key is written as its modifiers and its name with `+` between: `ctrl+o`, `alt+enter`, `shift+tab`, `pageup`. A typed
character is its own name (`a`, `A`, `?`); all of them together are `rune`, which a binding may use for "whatever is
typed". The space bar is `space`. A capital letter with a modifier is written with `shift`: `ctrl+shift+p`.
"""

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

# The keys that a `panel_key` frame of the extension protocol may name; a typed character is `rune` with its text.
PANEL_KEYS = frozenset((*_PLAIN, RUNE))

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
    """One press. `str()` gives the name to look up and to write in a file, `parse_key` reads it back.

    `name` is one of `NAMES`, a small letter or other character (with modifiers), or `rune`; `modifiers` are in the
    order of `MODIFIERS`; `text` is what typing the key inserts, for `rune` only.
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
    """The key that `text` names, in any case and order of modifiers, by common other names too (`Escape`, `cmd`).

    ValueError, in one line, if there is no such key.
    """
    head, separator, name = _split(text)
    modifiers = [_MODIFIER_ALIASES.get(part, part) for part in head.lower().split("+")] if separator else []
    unknown = [modifier for modifier in modifiers if modifier not in MODIFIERS]
    if unknown:
        raise ValueError(f"{text!r} is no key: {unknown[0]!r} is none of {', '.join(MODIFIERS)}")
    key = _key(name, set(modifiers))
    if key is None:
        raise ValueError(f"{text!r} is no key: write it like 'ctrl+o', 'alt+enter' or 'f5'")
    return key


def _split(text: str) -> tuple[str, str, str]:
    """Modifiers, separator and name; `+` itself may be the name: `+`, `ctrl++`."""
    if text == "+":
        return "", "", "+"
    if text.endswith("++"):
        return text[:-2], "+", "+"
    head, separator, name = text.rpartition("+")
    return head.strip(), separator, name if len(name) == 1 else name.strip()


def _key(name: str, modifiers: set[str]) -> Key | None:
    """A key by its name and modifiers in whatever form, or None."""
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
    """Whether it is one character that can be typed: no control character, no half of a pair.

    Others that nobody sees are: input methods type joiners, and spaces of other kinds.
    """
    return len(name) == 1 and (name.isprintable() or (name > "\x9f" and not "\ud800" <= name <= "\udfff"))


def from_urwid(key: object) -> Key | None:
    """The key that urwid 5 reports as `key`: `ctrl o`, `shift meta left`, `page up`, `A`.

    None for what is no key press: mouse events (tuples), `focus in`, `begin paste`, a modifier alone, a control
    sequence that urwid does not know (`<csi ...>`), media keys.
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
    if name == "<0>":  # NUL: what terminals without a keyboard protocol send for ctrl+space
        modifiers.add("ctrl")
        name = "space"
    if is_character(name) and modifiers and name != name.lower():
        modifiers.add("shift")  # urwid names a shifted letter by what it types: `ctrl A`
    return _key(name, modifiers)


def panel_key(key: Key) -> tuple[str, str] | None:
    """`key` and `text` of the `panel_key` frame for a press, or None: panels are not told of it.

    Only the keys of `PANEL_KEYS` reach a panel, without modifiers; a host that keeps `esc` for itself asks first.
    """
    if key.name == RUNE and key.text:
        return RUNE, key.text
    return (key.name, "") if key.name in PANEL_KEYS and key.name != RUNE and not key.modifiers else None
