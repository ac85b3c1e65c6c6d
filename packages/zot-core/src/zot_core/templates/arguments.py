"""Put the arguments of a slash command into the text of a prompt template.

The placeholders have the form of shells: `$1`, `$@`, `${@:2}`, `${@:2:1}`, `${1:-default}`, and `$ARGUMENTS`.
"""

import re

from zot_provider.errors import ConfigError

EXPANDED_LIMIT = 16 << 20
"""Maximum characters of a prompt made from a template."""

# Each part is possessive: an argument may be megabytes of pasted text.
_QUOTED = r'"(?:[^"\\]|\\.)*+"'
_WORD = re.compile(rf"'[^']*+'(?!\S)|(?:{_QUOTED}|[^\s\"\\]++|\\.|\S)++", re.DOTALL)
_SPECIAL = re.compile(rf"({_QUOTED})|\\([\s\"'\\])", re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')

_PLACEHOLDER = re.compile(
    r"""
    (?P<escape>\\)?\$(?:
        (?P<all>@|ARGUMENTS\b)
      | (?P<number>[1-9]\d?)(?!\d)
      | \{(?:
            (?P<braced_all>@|ARGUMENTS)
          | (?P<braced_number>[1-9]\d?)
        )(?::-(?P<default>[^}]*))?\}
      | \{@:(?P<start>\d{1,3})(?::(?P<length>\d{1,3}))?\}
    )
    """,
    re.VERBOSE,
)


def split_words(text: str) -> list[str]:
    """Split arguments into words as a shell does.

    Text in double quotes, or a word in single quotes, is kept together. A backslash before a blank, a quote or a
    backslash takes away its meaning. Quotes that are not closed, and apostrophes within words, are plain characters.
    """
    return [_unquoted(found[0]) for found in _WORD.finditer(text)]


def _unquoted(word: str) -> str:
    if len(word) > 1 and word[0] == word[-1] == "'" and "'" not in word[1:-1]:
        return word[1:-1]
    return _SPECIAL.sub(lambda found: _ESCAPED.sub(r"\1", found[1][1:-1]) if found[1] else found[2], word)


def fill(text: str, arguments: str) -> str:
    """Replace the placeholders in `text`. Without any, the arguments are added at the end.

    What is put in is not searched for placeholders again. `\\$1` is `$1` as text. Raises `ConfigError` if the result
    would be longer than `EXPANDED_LIMIT`.
    """
    arguments = arguments.strip()
    words: list[str] | None = None
    parts: list[str] = []
    at = size = 0
    used = False
    for found in _PLACEHOLDER.finditer(text):
        if found["escape"]:
            value = found[0][1:]
        else:
            used = True
            words = split_words(arguments) if words is None else words
            value = _value(found, arguments, words)
        parts += (text[at : found.start()], value)
        at = found.end()
        size += len(value)
        if size > EXPANDED_LIMIT:
            raise ConfigError(f"with these arguments the prompt has more than {EXPANDED_LIMIT:,} characters")
    parts.append(text[at:])
    if arguments and not used:
        parts = ["".join(parts).rstrip(), "\n\n", arguments]
    return "".join(parts)


def _value(found: re.Match[str], arguments: str, words: list[str]) -> str:
    """Return what takes the place of one placeholder."""
    if found["start"]:
        first = max(int(found["start"]), 1) - 1
        return " ".join(words[first : first + int(found["length"])] if found["length"] else words[first:])
    default = found["default"] or ""
    if every := found["all"] or found["braced_all"]:
        return (" ".join(words) if every == "@" else arguments) or default
    number = int(found["number"] or found["braced_number"])
    return (words[number - 1] if number <= len(words) else "") or default
