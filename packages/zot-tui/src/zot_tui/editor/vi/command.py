"""vi's commands, read from the keys they are typed with; pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from zot_tui.editor.vi.motions import FINDS, MOTIONS
from zot_tui.editor.vi.objects import OBJECTS

MOST = 999
"""A count that is larger is this one."""

OPERATORS = frozenset({"d", "c", "y", ">", "<", "g~", "gu", "gU"})

WHOLE = frozenset({">", "<", "J", "gJ"})
"""What changes whole lines, whatever of them is selected."""

LINES = "lines"
"""The motion of an operator that is typed twice."""


class ViCommand(NamedTuple):
    """A command: `verb` is an operator, an action of its own, or empty for a motion alone; `motion` is one of
    `MOTIONS`, `OBJECTS` or `LINES`, `number` the count, 0 if none was typed, `char` what `r` and the motions of `FINDS`
    take."""

    verb: str
    motion: str = ""
    number: int = 0
    char: str = ""


# Actions that are short for an operator and a motion.
_SHORT = {
    "x": ("d", "l"),
    "X": ("d", "h"),
    "D": ("d", "$"),
    "s": ("c", "l"),
    "C": ("c", "$"),
    "S": ("c", LINES),
    "Y": ("y", LINES),
}

_ACTIONS = frozenset("iaIAoOpPJu.~rvVR;,") | {"ctrl+r", "gj", "gk", "gJ"}

# What takes what is selected, and what it does with it; a name with a blank behind it takes whole lines.
_SELECTED = {
    "d": "d",
    "x": "d",
    "X": "d ",
    "D": "d ",
    "c": "c",
    "s": "c",
    "C": "c ",
    "S": "c ",
    "R": "c ",
    "y": "y",
    "Y": "y ",
    ">": ">",
    "<": "<",
    "~": "g~",
    "u": "gu",
    "U": "gU",
    "g~": "g~",
    "gu": "gu",
    "gU": "gU",
    "J": "J",
    "gJ": "gJ",
    "p": "p",
    "P": "p",
    "r": "r",
    "o": "o",
    "O": "o",
    "I": "I",
    "A": "A",
    "v": "v",
    "V": "V",
    ";": ";",
    ",": ",",
    "gj": "gj",
    "gk": "gk",
}


def read(keys: Sequence[str], *, selecting: bool = False) -> ViCommand | None:
    """The command that `keys` are, None if more have to come. ValueError if no command begins like that.

    With `selecting` operators take what is selected, and `i` and `a` begin a text object.
    """
    count, at = _count(keys, 0)
    name, at = _name(keys, at)
    if not name:
        return None
    if selecting and name in ("i", "a"):
        return _object(keys, at, "", count)
    if name in MOTIONS:
        return _with_char(keys, at, ViCommand("", name, count))
    if selecting:
        if name not in _SELECTED:
            raise ValueError(f"nothing is done by {name!r}")
        return _with_char(keys, at, ViCommand(_SELECTED[name], number=count))
    if name in _SHORT:
        verb, motion = _SHORT[name]
        return ViCommand(verb, motion, count)
    if name in OPERATORS:
        return _operation(keys, at, name, count)
    if name in _ACTIONS:
        return _with_char(keys, at, ViCommand(name, number=count))
    raise ValueError(f"nothing is done by {name!r}")


def _operation(keys: Sequence[str], at: int, verb: str, count: int) -> ViCommand | None:
    more, at = _count(keys, at)
    total = min(max(count, 1) * max(more, 1), MOST) if count or more else 0
    name, at = _name(keys, at)
    if not name:
        return None
    if name in (verb, verb[-1]):
        return ViCommand(verb, LINES, total)
    if name in ("i", "a"):
        return _object(keys, at, verb, total)
    if name in MOTIONS or name in (";", ","):
        return _with_char(keys, at, ViCommand(verb, name, total))
    raise ValueError(f"{name!r} is no motion")


def _count(keys: Sequence[str], at: int) -> tuple[int, int]:
    """A number, 0 for none, and where what follows it begins. It has no 0 in front: that is a motion."""
    number = 0
    while at < len(keys) and keys[at] in "0123456789" and (number or keys[at] != "0"):
        number = min(number * 10 + int(keys[at]), MOST)
        at += 1
    return number, at


def _name(keys: Sequence[str], at: int) -> tuple[str, int]:
    """A name of one key, or of two if the first is `g`; empty if it is not all there."""
    length = 2 if keys[at : at + 1] == ["g"] else 1
    found = keys[at : at + length]
    return ("".join(found) if len(found) == length else ""), at + length


def _object(keys: Sequence[str], at: int, verb: str, count: int) -> ViCommand | None:
    if at == len(keys):
        return None
    name = keys[at - 1] + keys[at]
    if name not in OBJECTS:
        raise ValueError(f"{name!r} is no text object")
    return ViCommand(verb, name, count)


def _with_char(keys: Sequence[str], at: int, command: ViCommand) -> ViCommand | None:
    if command.verb != "r" and command.motion not in FINDS:
        return command
    if at == len(keys):
        return None
    if len(keys[at]) > 1 and keys[at].startswith("ctrl+"):
        raise ValueError(f"{keys[at]!r} is no character")
    return command._replace(char=keys[at])


KEYS: Mapping[str, str] = {
    "left": "h",
    "right": "l",
    "home": "0",
    "end": "$",
    "backspace": "h",
    "ctrl+h": "h",
    "delete": "x",
    "space": "l",
    "ctrl+j": "j",
    "ctrl+n": "j",
    "ctrl+p": "k",
    "ctrl+r": "ctrl+r",
}
"""Keys without a character that are commands too, and of which."""
