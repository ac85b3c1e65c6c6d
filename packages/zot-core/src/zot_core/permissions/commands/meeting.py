"""`meet`: whether two patterns of paths may match the same path. One may be a word that only a shell knows."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from zot_core.permissions.word import GAP

STATES = 2_000
"""The most pairs of states that are looked at; patterns that have more of them are said to meet."""

Step: TypeAlias = tuple[str, bool]
"""Characters that fit, and whether any number of them does. The characters are one of these names, or one itself."""

_NAME, _ANY, _VISIBLE = "name", "any", "visible"
"""A character of a name, any character, and one with which the name of a file that `*` stands for may begin."""

_GLOB = re.compile(r"\*+|\?|\[[^\]/]*\]|.", re.DOTALL)
_PATTERN = re.compile(r"\*\*/|\*\*|\*|\?|\\.|.", re.DOTALL)


def word_steps(shape: str, *, glob: bool) -> list[list[Step]]:
    """Return the alternatives for a word: its gaps are any text, and if it is a `glob`, a shell replaces its wildcards,
    those at the beginning of a name by no dot."""
    alternatives: list[list[Step]] = [[]]
    begins = True
    for sign in _GLOB.findall(shape) if glob else shape:
        if sign == GAP:
            steps: list[list[Step]] = [[(_ANY, True)]]
        elif glob and sign[0] in "*?[" and (len(sign) > 1 or sign != "["):
            first = (_VISIBLE if begins else _NAME, False)
            steps = [[first, (_NAME, True)], []] if sign[0] == "*" else [[first]]
            steps = [[(_NAME, True)]] if sign[0] == "*" and (not begins or len(alternatives) > 4) else steps
        else:
            steps = [[(sign, False)]]
        alternatives = [[*each, *more] for each in alternatives for more in steps]
        begins = sign == "/"
    return alternatives


def pattern_steps(text: str, *, below: bool) -> list[list[Step]]:
    """Return the alternatives for the text of a rule whose path is absolute; `below` adds what is in a folder."""
    steps: list[list[Step]] = [[]]
    for token in _PATTERN.findall(text):
        more: list[list[Step]]
        if token == "**/":
            more = [[(_ANY, True), ("/", False)], []] if len(steps) < 8 else [[(_ANY, True)]]
        elif token in ("*", "**"):
            more = [[(_NAME if token == "*" else _ANY, True)]]
        else:
            more = [[(_NAME if token == "?" else token[-1], False)]]
        steps = [[*each, *new] for each in steps for new in more]
    return steps + [[*each, ("/", False), (_ANY, True)] for each in steps if below]


def meet(some: Iterable[Sequence[Step]], others: Iterable[Sequence[Step]]) -> bool:
    """Return whether an alternative of each fits the same text, whatever the case of letters."""
    all_others = list(others)
    return any(_meet(one, other) for one in some for other in all_others)


def _meet(one: Sequence[Step], other: Sequence[Step]) -> bool:
    waiting, seen = [(0, 0)], {(0, 0)}
    while waiting:
        at, there = waiting.pop()
        if at == len(one) and there == len(other):
            return True
        if len(seen) > STATES:
            return True
        for pair in _next(one, at, other, there):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return False


def _next(one: Sequence[Step], at: int, other: Sequence[Step], there: int) -> Iterable[tuple[int, int]]:
    mine = one[at] if at < len(one) else None
    theirs = other[there] if there < len(other) else None
    if mine is not None and mine[1]:
        yield at + 1, there
    if theirs is not None and theirs[1]:
        yield at, there + 1
    if mine is not None and theirs is not None and _fit(mine[0], theirs[0]):
        yield at + (not mine[1]), there + (not theirs[1])


def _fit(some: str, others: str) -> bool:
    if len(some) > 1 and len(others) > 1:
        return True
    if len(some) > 1:
        some, others = others, some
    if len(others) == 1:
        return some == others or some.casefold() == others.casefold()
    return others == _ANY or (some != "/" and (others == _NAME or some != "."))
