"""`Glob`: file patterns as models write them: `*.py`, `src/**/*.ts`, `*.{js,jsx}`, `[a-c]?.txt`; pure.

A pattern without a slash is matched against the name alone, at any depth. A pattern with a slash is matched against the
whole path; in it, `*` and `?` stop at a slash and `**` does not. A backslash escapes the next character.
A pattern that begins with `!` matches what the rest does not.
"""

import re
from collections.abc import Sequence

from zot_core.tools.search.wildcards import ANY, FOLDERS, STAR, linear_expression

LENGTH = 1000
"""Most characters of a pattern."""

TOKENS = 10_000
"""Most characters of all the patterns that the braces of a pattern abbreviate."""


class Glob:
    """A pattern for paths relative to the folder `base`. ValueError if it is empty, too long or not a glob.

    `anywhere`: a pattern with a slash may begin at any folder (`src/*.py` also matches `a/src/x.py`).
    """

    def __init__(self, pattern: str, base: str = "", *, anywhere: bool = False, ignore_case: bool = False) -> None:
        text = pattern.strip()
        self._without = text.startswith("!")
        text = text.removeprefix("!").removeprefix("./")
        if base and text.startswith(base.rstrip("/") + "/"):
            text = text[len(base.rstrip("/")) :]
        if len(text) > LENGTH:
            raise ValueError(f"the pattern has {len(text)} characters; use at most {LENGTH}")
        whole = "/" in text.rstrip("/")
        if anywhere and whole and not text.startswith(("/", "**/")):
            text = f"**/{text}"
        text = text.strip("/")
        if not text:
            raise ValueError("the pattern is empty; give one such as **/*.py")
        self._whole = whole
        one = "[^/]" if whole else "."
        try:
            expression = "|".join(linear_expression(each, one) for each in _patterns(text, one))
            self._match = re.compile(expression, re.DOTALL | (re.IGNORECASE if ignore_case else re.NOFLAG)).fullmatch
        except (re.error, OverflowError, RecursionError, ValueError) as error:
            raise ValueError(f"the pattern {pattern!r} is not a glob: {error}") from error
        self.names_hidden = any(part.startswith(".") for part in re.split(r"[/,{]", text))
        """Whether a part of the pattern begins with a dot, and so names hidden files."""

    def matches(self, path: str) -> bool:
        """Whether the pattern matches the path, which is relative to the base."""
        return (self._match(path if self._whole else path[path.rfind("/") + 1 :]) is not None) != self._without


_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[(?P<not>[!^]?)(?P<set>\][^\]]*+|[^\]]++)\]|\\.|.", re.DOTALL)

_MEMBER = re.compile(r"(.)(?:-(.))?", re.DOTALL)
"""A member of a set: a character, or the first and the last of a range."""


def _patterns(pattern: str, one: str) -> list[list[str]]:
    """Return the tokens of each pattern that the braces abbreviate; `one` is the translation of `?`."""
    found = list(_TOKEN.finditer(pattern))
    braces = _braces([token.group() for token in found])
    patterns: list[list[str]] = [[]]
    groups: list[tuple[list[list[str]], list[list[str]]]] = []  # what is before an open brace, the alternatives so far
    size = 1
    for at, token in enumerate(found):
        if at not in braces:
            size += len(patterns)
            for each in patterns:
                each.append(_translated(token, one))
        elif token.group() == "{":
            groups.append((patterns, []))
            patterns = [[]]
        elif token.group() == ",":
            groups[-1][1].extend(patterns)
            patterns = [[]]
        else:
            starts, ends = groups.pop()
            ends += patterns
            size += len(starts) * len(ends) + sum(map(len, starts)) * len(ends) + sum(map(len, ends)) * len(starts)
            patterns = [[*start, *end] for start in starts for end in ends] if size <= TOKENS else []
        if size > TOKENS:
            raise ValueError("its braces abbreviate too many patterns")
    return patterns


def _braces(tokens: Sequence[str]) -> set[int]:
    """Return the indices of the braces and commas that are not plain text: of closed braces with a comma."""
    found: set[int] = set()
    open_braces: list[list[int]] = []
    for at, token in enumerate(tokens):
        if token == "{":
            open_braces.append([at])
        elif token == "," and open_braces:
            open_braces[-1].append(at)
        elif token == "}" and open_braces:
            group = [*open_braces.pop(), at]
            found.update(group if len(group) > 2 else [])
    return found


def _translated(token: "re.Match[str]", one: str) -> str:
    text = token.group()
    if token["set"]:
        members = _MEMBER.findall(token["set"])
        inside = "".join(re.escape(first) + (f"-{re.escape(last)}" if last else "") for first, last in members)
        return f"{'' if one == '.' else '(?!/)'}[{'^' if token['not'] else ''}{inside}]"
    if text in (FOLDERS, ANY, STAR):
        return text
    return one if text == "?" else re.escape(text[-1])
