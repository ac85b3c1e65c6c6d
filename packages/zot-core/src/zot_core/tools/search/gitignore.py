"""`Gitignore`: the rules of one `.gitignore` file; pure.

The format is git's: https://git-scm.com/docs/gitignore. The rules are made for a walk from the top that does not enter
excluded folders: each path is matched itself, as git does, and a rule for a folder does not match what is below it.
"""

import re
from collections.abc import Callable

from zot_core.tools.search.line_search import CLASSES
from zot_core.tools.search.wildcards import ANY, FOLDERS, STAR, linear_expression

_SET = re.compile(r"\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_MEMBER = re.compile(r"\[:(\w+):\]|\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)
_TOKEN = re.compile(r"/(?:\*\*++/)*\*\*++$|/(?:\*\*++/)+|\*+|\\(.)|.", re.DOTALL)
_START = re.compile(r"((?:\*\*++/)*)((?:\*\*+$)?)", re.DOTALL)
_NEVER = "(?!)"
_FOLDER = "\0"
"""Replaces the slash at the end of a folder's path for matching, so that `a/*` does not match the folder `a/`."""
_ANY = "[^/\\0]"


_RUN = 8192
"""Characters after which an expression for several rules ends. It takes some 20 ms to compile."""
_LINE = 4096
"""Most characters of a line. The paths of most systems are no longer."""


class Gitignore:
    """Parses the text of the file. Lines that are not rules or have more than 4096 characters are skipped."""

    def __init__(self, text: str, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called every 20 ms or so; what it raises ends the work, which takes up to 0.2 ms for a rule."""
        self.size = len(text)
        # The last expression that matches decides. Adjacent rules with the same verdict become one expression.
        self._runs: list[tuple[bool, Callable[[str], object]]] = []
        rules: list[str] = []
        size, verdict = 0, False
        for line in text.split("\n"):
            rule = _rule(line)
            if rule is None:
                continue
            if rule[0] != verdict or size > _RUN:
                self._add_run(rules, ignored=verdict)
                rules, size, verdict = [], 0, rule[0]
                check()
            rules.append(rule[1])
            size += len(rule[1])
        self._add_run(rules, ignored=verdict)
        self._runs.reverse()

    def _add_run(self, rules: list[str], *, ignored: bool) -> None:
        if rules:
            self._runs.append((ignored, re.compile("|".join(rules), re.DOTALL).fullmatch))

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
    text = line.rstrip(" ")
    line = line[: len(text) + _escapes(text)]  # an escaped space at the end is part of the rule
    if not line or line.startswith("#") or len(line) > _LINE:
        return None
    ignored = not line.startswith("!")
    pattern = line if ignored else line[1:]
    end = _FOLDER if pattern.endswith("/") else f"{_FOLDER}?"
    pattern = pattern.removesuffix("/")
    if not pattern:
        return None
    start = [FOLDERS]
    if "/" in pattern:
        pattern = pattern.removeprefix("/")
        # As in git, stars after plain text count as leading stars too, so that `a**/b` matches `ab` and `ax/y/b`.
        plain = re.split(r"[*?\[\\]", pattern, maxsplit=1)[0]
        stars = _START.match(pattern, len(plain))
        folders, any_path = stars.groups() if stars else ("", "")
        start = [*map(re.escape, plain), *([FOLDERS] if folders else []), *([ANY] if any_path else [])]
        pattern = pattern[len(plain) + len(folders) + len(any_path) :]
    return ignored, f"(?:{linear_expression([*start, *_tokens(pattern)], _ANY)}){end}"


def _escapes(text: str) -> bool:
    """Whether the next character is escaped: the text ends with an odd number of backslashes."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _tokens(pattern: str) -> list[str]:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "[":
            members = _SET.match(pattern, at)
            if members is None:
                return [_NEVER]
            parts.append(_set(members.group()[1:-1]))
            at = members.end()
            continue
        token = _TOKEN.match(pattern, at)
        if token is None or token.group() == "\\":  # at the end, with nothing to escape
            return [_NEVER]
        text = token.group()
        at = token.end()
        if text.startswith("/*"):
            parts += ["/", ".", ANY] if at == len(pattern) and text.endswith("*") else ["/", FOLDERS]
        elif text.startswith("*"):
            parts.append(STAR)
        else:
            parts.append(_ANY if text == "?" else re.escape(token[1] or text))
    return parts


def _set(body: str) -> str:
    negated = body[:1] in ("!", "^")
    inside = ""
    for name, first, last in _MEMBER.findall(body[negated:]):
        if name:
            if name not in CLASSES:
                return _NEVER
            inside += CLASSES[name]
        elif not last:
            inside += re.escape(first)
        elif first <= last:
            inside += f"{re.escape(first)}-{re.escape(last)}"
    if not inside:
        return _ANY if negated else _NEVER
    return f"(?![/\\0])[{'^' if negated else ''}{inside}]"
