"""`Gitignore`: the rules of one `.gitignore` file; pure.

The format is git's: https://git-scm.com/docs/gitignore. The rules are made for a walk from the top that does not enter
excluded folders: each path is matched itself, as git does, and a rule for a folder does not match what is below it.
"""

import re
from collections.abc import Callable
from itertools import groupby

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"!-~",
    "lower": "a-z",
    "print": r" -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_SET = re.compile(r"\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_MEMBER = re.compile(r"\[:(\w+):\]|\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)
_TOKEN = re.compile(r"/\*\*+(?=/)|/\*\*+$|\*+|\\(.)|.", re.DOTALL)
_START = re.compile(r"((?:\*\*+/)*)((?:\*\*+$)?)", re.DOTALL)
_NEVER = "(?!)"
_FOLDER = "\0"
"""Replaces the slash at the end of a folder's path for matching, so that `a/*` does not match the folder `a/`."""
_ANY = "[^/\\0]"


class Gitignore:
    """Parses the text of the file. Lines that are not rules are skipped."""

    def __init__(self, text: str) -> None:
        rules = [rule for line in text.split("\n") if (rule := _rule(line)) is not None]
        # Adjacent rules with the same verdict become one expression; the last expression that matches decides.
        self._runs: list[tuple[bool, Callable[[str], object]]] = [
            (ignored, re.compile("|".join(expression for _, expression in run), re.DOTALL).fullmatch)
            for ignored, run in groupby(rules, key=lambda rule: rule[0])
        ]
        self._runs.reverse()

    def verdict(self, path: str) -> bool | None:
        """True if `path` is excluded, False if it is included again, None without a rule for it.

        The path is relative to the folder of the file; folders end in a slash."""
        if path.endswith("/"):
            path = path[:-1] + _FOLDER
        for ignored, match in self._runs:
            if match(path):
                return ignored
        return None


def _rule(line: str) -> tuple[bool, str] | None:
    """Parse a line: whether it excludes or includes, and the expression for a whole path."""
    line = line.removesuffix("\r")
    while line.endswith(" ") and not _escaped(line):
        line = line[:-1]
    if not line or line.startswith("#"):
        return None
    ignored = not line.startswith("!")
    pattern = line if ignored else line[1:]
    end = _FOLDER if pattern.endswith("/") else f"{_FOLDER}?"
    pattern = pattern.removesuffix("/")
    if not pattern:
        return None
    if "/" not in pattern:
        return ignored, f"(?:.*/)?{_expression(pattern)}{end}"
    pattern = pattern.removeprefix("/")
    # As in git, stars after plain text count as leading stars too, so that `a**/b` matches `ab` and `ax/y/b`.
    plain = re.split(r"[*?\[\\]", pattern, maxsplit=1)[0]
    body = re.escape(plain) + ("(?=.)" if plain.endswith("/") else "")
    start = _START.match(pattern, len(plain))
    if start is not None:
        body += ("(?:.*/)?" if start[1] else "") + (".*" if start[2] else "") + _expression(pattern[start.end() :])
    return ignored, f"{body}{end}"


def _escaped(line: str) -> bool:
    """Whether the last character is escaped: an odd number of backslashes is before it."""
    before = line[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _expression(pattern: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "[":
            members = _SET.match(pattern, at)
            if members is None:
                return _NEVER
            parts.append(_set(members.group()[1:-1]))
            at = members.end()
            continue
        token = _TOKEN.match(pattern, at)
        if token is None or token.group() == "\\":  # at the end, with nothing to escape
            return _NEVER
        text = token.group()
        at = token.end()
        if text.startswith("/*"):
            parts.append("/.+" if at == len(pattern) else "(?:/.*)?")
        elif text.startswith("*"):
            parts.append(f"{_ANY}*")
        else:
            parts.append(_ANY if text == "?" else re.escape(token[1] or text))
    return "".join(parts)


def _set(body: str) -> str:
    negated = body[:1] in ("!", "^")
    inside = ""
    for name, first, last in _MEMBER.findall(body[negated:]):
        if name:
            if name not in _CLASSES:
                return _NEVER
            inside += _CLASSES[name]
        elif not last:
            inside += re.escape(first)
        elif first <= last:
            inside += f"{re.escape(first)}-{re.escape(last)}"
    if not inside:
        return _ANY if negated else _NEVER
    return f"(?![/\\0])[{'^' if negated else ''}{inside}]"
