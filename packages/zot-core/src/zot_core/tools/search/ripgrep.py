"""`sieve`: the few of many files of this machine that are worth a search, by ripgrep where it is installed.

It never decides what matches. It drops files in which nothing can match, and `LineSearch` looks at the rest: with and
without it the result is the same, a hundred times sooner in a large tree. For that it may let too much through and
never too little:

- only patterns of a dialect that it and Python read alike are given to it;
- text beyond ASCII, where the two differ about letters and case, lets a file through, as do `\\r` (which is part of a
  line break for one and text for the other) and the separators that only Python takes for white space.
"""

import re
from collections.abc import Iterator, Sequence

from zot_core.tools.search.child import Child

_UNSURE = r"(?-u:[\x80-\xff])|[\r\x1c-\x1f]"
_ARGUMENT_BYTES = 100_000
_OPTIONS = (
    *("--no-config", "--no-messages", "--files-with-matches", "--null", "--color=never"),
    *("--text", "--encoding=none", "--no-ignore", "--hidden", "--case-sensitive"),
)

_ALIKE = re.compile(
    r"""(?:
        [^\\.^$*+?{}\[\]|()\n\ufffd\ud800-\udfff]  # itself
      | \\[dDwWsSbBtfvr]
      | \\[\\.^$*+?{}\[\]|()/"'-]                  # punctuation that both allow to be escaped
      | [.^$|)]
      | \((?:\?:|(?!\?))
      | (?:[*+?]|\{\d{1,3}(?:,(?:\d{1,3})?)?\})\??(?![*+?{])
      | \[\^?(?:[\w ./:;,<>=!?@#%"'`$()*+{}|]|\\[dwstfvr\\.\]\[^$/-]|(?<=[A-Za-z0-9])-(?=[A-Za-z0-9])|-(?=\]))+\]
    )+""",
    re.VERBOSE | re.ASCII,
)


def arguments(pattern: str, *, literal: bool, ignore_case: bool) -> list[str] | None:
    """What to tell ripgrep to look for; None if it is not to be asked about this pattern."""
    if "\ufffd" in pattern or "\n" in pattern or any("\ud800" <= character <= "\udfff" for character in pattern):
        return None
    if literal and not ignore_case:
        return ["--fixed-strings", f"--regexp={pattern}"]
    if literal:
        pattern = re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", pattern)
    elif "[:" in pattern or not _ALIKE.fullmatch(pattern):
        return None
    return [*(["--ignore-case"] if ignore_case else []), f"--regexp={pattern}", f"--regexp={_UNSURE}"]


async def sieve(program: str, looking_for: Sequence[str], paths: Sequence[str], base: str) -> list[str]:
    """Those of `paths`, relative to `base`, in which something may match, in their order. OSError without ripgrep."""
    kept: set[str] = set()
    for portion in _portions(paths):
        # With the dot no name looks like an option, nor like `-`, which is stdin.
        child = Child([program, *_OPTIONS, *looking_for, "--", *(f"./{path}" for path in portion)], cwd=base)
        try:
            code, printed = await child.output()
        finally:
            child.close()
        if code in (0, 1):
            names = printed.decode("utf-8", "surrogateescape").split("\0")
            kept.update(name.removeprefix("./") for name in names)
        else:  # it does not like the pattern, or could not read something
            kept.update(portion)
    return [path for path in paths if path in kept]


def _portions(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many at a time as a command line takes."""
    start = size = 0
    for at, path in enumerate(paths):
        size += len(path.encode("utf-8", "surrogateescape")) + 3
        if size > _ARGUMENT_BYTES:
            if at > start:
                yield paths[start:at]
            start, size = at, len(path)
    if start < len(paths):
        yield paths[start:]
