"""`candidate_files`: local files that may match a pattern, selected by ripgrep if it is installed.

ripgrep never decides what matches. It drops files in which nothing can match, and `LineSearch` searches the rest: the
result is the same without it, a hundred times faster with it in a large tree. So it may keep too many files, never too
few:

- it only gets patterns that it and Python interpret in the same way;
- a file is kept if it has text beyond ASCII, where the two differ about letters and case, a `\\r` (part of a line break
  for one and text for the other), or a separator that only Python takes for white space.
"""

import re
from collections.abc import Iterator, Sequence

from zot_core.tools.search.piped_process import PipedProcess

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


def pattern_arguments(pattern: str, *, literal: bool, ignore_case: bool) -> list[str] | None:
    """Return the arguments of ripgrep for the pattern, or None if ripgrep may read the pattern differently."""
    if "\ufffd" in pattern or "\n" in pattern or any("\ud800" <= character <= "\udfff" for character in pattern):
        return None
    if literal and not ignore_case:
        return ["--fixed-strings", f"--regexp={pattern}"]
    if literal:
        pattern = re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", pattern)
    elif "[:" in pattern or not _ALIKE.fullmatch(pattern):
        return None
    return [*(["--ignore-case"] if ignore_case else []), f"--regexp={pattern}", f"--regexp={_UNSURE}"]


async def candidate_files(program: str, pattern: Sequence[str], paths: Sequence[str], base: str) -> list[str]:
    """Return the `paths`, relative to `base`, that may contain a match, in their order. OSError without ripgrep.

    `pattern` comes from `pattern_arguments`.
    """
    kept: set[str] = set()
    for portion in _portions(paths):
        # With the dot, no name looks like an option or like `-`, which is stdin.
        child = PipedProcess([program, *_OPTIONS, *pattern, "--", *(f"./{path}" for path in portion)], cwd=base)
        try:
            code, printed = await child.output()
        finally:
            child.close()
        if code in (0, 1):
            names = printed.decode("utf-8", "surrogateescape").split("\0")
            kept.update(name.removeprefix("./") for name in names)
        else:  # ripgrep refused the pattern or could not read a file
            kept.update(portion)
    return [path for path in paths if path in kept]


def _portions(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split the paths into portions that fit on a command line."""
    start = size = 0
    for at, path in enumerate(paths):
        size += len(path.encode("utf-8", "surrogateescape")) + 3
        if size > _ARGUMENT_BYTES:
            if at > start:
                yield paths[start:at]
            start, size = at, len(path)
    if start < len(paths):
        yield paths[start:]
