"""`Glob`: file patterns as models write them: `*.py`, `src/**/*.ts`, `*.{js,jsx}`, `[a-c]?.txt`; pure.

A pattern without a slash is matched against the name alone, at any depth. A pattern with a slash is matched against the
whole path; in it, `*` and `?` stop at a slash and `**` does not. A backslash escapes the next character.
"""

import re


class Glob:
    """A pattern for paths relative to the folder `base`. ValueError if it is empty or not a glob.

    `anywhere`: a pattern with a slash may begin at any folder (`src/*.py` also matches `a/src/x.py`).
    """

    def __init__(self, pattern: str, base: str = "", *, anywhere: bool = False) -> None:
        text = pattern.strip().removeprefix("./")
        if base and text.startswith(base.rstrip("/") + "/"):
            text = text[len(base.rstrip("/")) :]
        whole = "/" in text.rstrip("/")
        if anywhere and whole and not text.startswith(("/", "**/")):
            text = f"**/{text}"
        text = text.strip("/")
        if not text:
            raise ValueError("the pattern is empty; give one such as **/*.py")
        self._whole = whole
        try:
            self._match = re.compile(_expression(text, "[^/]" if whole else "."), re.DOTALL).fullmatch
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"the pattern {pattern!r} is not a glob: {error}") from error
        self.names_hidden = any(part.startswith(".") for part in re.split(r"[/,{]", text))
        """Whether a part of the pattern begins with a dot, and so names hidden files."""

    def matches(self, path: str) -> bool:
        """Whether the pattern matches the path, which is relative to the base."""
        return self._match(path if self._whole else path[path.rfind("/") + 1 :]) is not None


_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[(?P<not>[!^]?)(?P<set>\][^\]]*|[^\]]+)\]|\\.|.", re.DOTALL)


def _expression(pattern: str, one: str) -> str:
    """Translate the pattern into a regular expression; `one` is the translation of `?`."""
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": f"{one}*", "?": one}
    parts: list[str] = []
    braces: list[int] = []  # indices of the open braces in `parts`
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        if token["set"]:
            parts.append(_class(token["not"], token["set"], slash=one == "."))
        elif text == "{":
            braces.append(len(parts))
            parts.append(r"\{")
        elif text == "," and braces:
            parts.append("|")
        elif text == "}" and braces:
            start = braces.pop()
            inside = parts[start + 1 :]
            parts[start:] = [f"(?:{''.join(inside)})" if "|" in inside else rf"\{{{''.join(inside)}\}}"]
        else:
            parts.append(meanings.get(text) or re.escape(text[-1]))
    for start in braces:  # never closed: plain text, including the commas
        parts[start:] = [r"\," if part == "|" else part for part in parts[start:]]
    return "".join(parts)


def _class(negated: str, members: str, *, slash: bool) -> str:
    """Translate a character class; it matches a slash only if `slash` is true."""
    inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", members)
    return f"{'' if slash else '(?!/)'}[{'^' if negated else ''}{inside}]"
