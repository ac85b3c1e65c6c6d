"""`linear_expression`: file patterns as regular expressions whose matching takes no time worth mentioning.

A pattern is a list of tokens: `*`, `**`, `**/`, or the regular expression of one character. Between two wildcards, the
first place where the text fits is as good as any later one: the second wildcard can skip the rest. So each part is an
atomic group, which the engine does not try at other places, and many stars cost little more than one.
"""

from collections.abc import Iterable

STAR, ANY, FOLDERS = "*", "**", "**/"
"""Characters of a name; any characters; folders, each with its slash. All three may be empty."""

_SPLITS = 64


def linear_expression(tokens: Iterable[str], one: str) -> str:
    """Return the expression for a whole path; `one` matches a character of a name. ValueError for too many `**/`."""
    return "|".join(_translated(each, one) for each in _normal(tokens))


def _normal(tokens: Iterable[str]) -> list[list[str]]:
    """Merge adjacent wildcards. A `**/` inside a name gives two patterns: without it, and with `**` and a slash."""
    patterns: list[list[str]] = [[]]
    for token in tokens:
        if token != FOLDERS:
            for pattern in patterns:
                _append(pattern, token)
            continue
        for pattern in list(patterns):
            if not pattern or pattern[-1] == "/":
                pattern.append(FOLDERS)
            elif pattern[-1] not in (ANY, FOLDERS):
                other = list(pattern)
                _append(other, ANY)
                patterns.append([*other, "/"])
        if len(patterns) > _SPLITS:
            raise ValueError("it has too many ** inside names")
    return patterns


def _append(pattern: list[str], token: str) -> None:
    if token == ANY:
        while pattern and pattern[-1] in (STAR, ANY, FOLDERS):
            pattern.pop()
    elif token == STAR and pattern and pattern[-1] in (STAR, ANY):
        return
    pattern.append(token)


def _translated(pattern: list[str], one: str) -> str:
    """Translate the parts between `**` and `**/`; each but the last is an atomic group."""
    (skip, part), *parts = _split(pattern, (ANY, FOLDERS))
    done: list[str] = []
    for next_skip, next_part in parts:
        done.append(f"(?>{_skip(skip, part)}{_part(part, one)})")
        skip, part = next_skip, next_part
    return "".join(done) + _skip(skip, part, at_end=True) + _part(part, one, at_end=True)


def _skip(wildcard: str, part: list[str], *, at_end: bool = False) -> str:
    if wildcard == FOLDERS:
        return "(?:.*/)?+" if at_end and "/" not in part else "(?:[^/]*+/)*?"
    return ".*?" if wildcard else ""


def _part(part: list[str], one: str, *, at_end: bool = False) -> str:
    """Translate a part; each star with the text after it is an atomic group, except the last one `at_end`."""
    (_, start), *stars = _split(part, (STAR,))
    texts = ["".join(text) for _, text in stars]
    last = f"{one}*{texts.pop()}" if texts and at_end else ""
    return "".join([*start, *(f"(?>{one}*?{text})" for text in texts), last])


def _split(tokens: list[str], wildcards: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Return what is before the first wildcard, and each wildcard with what is after it."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for token in tokens:
        if token in wildcards:
            parts.append((token, []))
        else:
            parts[-1][1].append(token)
    return parts
