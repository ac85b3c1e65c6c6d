"""vi's commands, parsed from keys; pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from zot_tui.editor.vi.motions import FINDS, MOTIONS
from zot_tui.editor.vi.objects import OBJECTS

MOST = 999
"""The largest count; larger ones are reduced to it."""

OPERATORS = frozenset({"d", "c", "y", ">", "<", "g~", "gu", "gU"})

WHOLE = frozenset({">", "<", "J", "gJ"})
"""Commands that change whole lines, however much of them is selected."""

LINES = "lines"
"""The motion of an operator that is typed twice."""


class ViCommand(NamedTuple):
    """A command. `verb` is an operator, an action, or empty for a plain motion.

    `motion` is one of `MOTIONS`, `OBJECTS` or `LINES`; `number` is the count, 0 if none was typed; `char` is the
    character for `r` and the motions of `FINDS`.
    """

    verb: str
    motion: str = ""
    number: int = 0
    char: str = ""


# Abbreviations of an operator with a motion.
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

# Commands for a selection and their verbs; a trailing blank means whole lines.
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
    """Parse `keys`: return the command, or None if it is incomplete. ValueError if no command begins like that.

    With `selecting`, operators work on the selection, and `i` and `a` begin a text object.
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
    raise ValueError(f"{name!r} is not a motion")


def _count(keys: Sequence[str], at: int) -> tuple[int, int]:
    """Return a count, 0 for none, and the index after it. A count does not begin with 0, which is a motion."""
    number = 0
    while at < len(keys) and keys[at] in "0123456789" and (number or keys[at] != "0"):
        number = min(number * 10 + int(keys[at]), MOST)
        at += 1
    return number, at


def _name(keys: Sequence[str], at: int) -> tuple[str, int]:
    """Return a name of one key, or of two if the first is `g`, and the index after it; an empty name if it is
    incomplete."""
    length = 2 if keys[at : at + 1] == ["g"] else 1
    found = keys[at : at + length]
    return ("".join(found) if len(found) == length else ""), at + length


def _object(keys: Sequence[str], at: int, verb: str, count: int) -> ViCommand | None:
    if at == len(keys):
        return None
    name = keys[at - 1] + keys[at]
    if name not in OBJECTS:
        raise ValueError(f"{name!r} is not a text object")
    return ViCommand(verb, name, count)


def _with_char(keys: Sequence[str], at: int, command: ViCommand) -> ViCommand | None:
    if command.verb != "r" and command.motion not in FINDS:
        return command
    if at == len(keys):
        return None
    if len(keys[at]) > 1 and keys[at].startswith("ctrl+"):
        raise ValueError(f"{keys[at]!r} is not a character")
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
"""Keys without a character, and the command that each stands for."""
