"""`starts`: which program a command starts through others: `make` in `sudo timeout 5 make`."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from zot_core.permissions.commands.programs import is_plain, runs_others
from zot_core.permissions.commands.readers import is_reader
from zot_core.permissions.commands.wrappers import wrapper

_BEHIND = 16
"""Words behind which a wrapper has its program, which may be as many wrappers."""

_NO_PROGRAM = re.compile(r"-.*|[\d.]+[smhd]?|\w+=.*", re.DOTALL)
"""An option, a number, a time, an assignment."""
_BEFORE = re.compile(r"(?:(?:--?[\w-]+\x1f)?-?[\d.]+[smhd]?\x1f|--\x1f|(?:--)?[\w-]+=[^\x1f]*\x1f)*")
"""Words behind which the next one is no value of an option: assignments, options with values, numbers."""

_LINE_FOLLOWS = re.compile(r"-\w*c|--command")


class StartedProgram(NamedTuple):
    """Where the program begins that wrappers start, 0 without one. `sure`: it is known that this is the program, and
    what it is: to its words, the wrappers before it change nothing."""

    at: int
    sure: bool


def starts(words: Sequence[str]) -> StartedProgram:
    """Return the program that a command starts, or the last wrapper, behind which no program can be seen."""
    at, sure = 0, True
    for _ in range(_BEHIND):
        row = wrapper(_name(words[at]))
        if row is None or row.kind == "shell":
            return StartedProgram(at, at > 0 and sure and _is_plain(_name(words[at])))
        if row.verb and words[at + 1 : at + 1 + len(row.verb)] != row.verb:
            break
        begin = at + len(row.verb)
        found = _first_operand(words[begin : begin + _BEHIND], file=row.file)
        if not found:
            at = begin
            break
        before = "".join(f"{word}\x1f" for word in words[begin + 1 : begin + found])
        sure = sure and row.first and _BEFORE.fullmatch(before) is not None
        at = begin + found
    return StartedProgram(at, sure=False)


def _is_plain(name: str) -> bool:
    return (is_plain(name) or is_reader(name)) and not runs_others(name)


def _first_operand(words: Sequence[str], *, file: bool) -> int:
    """Return which of the words behind a wrapper is a program; 0 if none is. An unknown word behind an option may be a
    value of it. With `file`, the first operand is a file."""
    unsure = 0
    for at, (before, word) in enumerate(pairwise(words), 1):
        name = _name(word)
        if file and _LINE_FOLLOWS.fullmatch(before):
            continue
        if _is_plain(name) or wrapper(name) is not None or runs_others(name):
            return at
        if _NO_PROGRAM.fullmatch(word):
            continue
        if before.startswith("-"):
            unsure = unsure or at
        elif file:
            file, unsure = False, 0
        else:
            return unsure or at
    return 0 if file else unsure


def _name(word: str) -> str:
    return word.rpartition("/")[2]
