"""Whether a command failed only because its last program found nothing, which its exit code 1 says."""

import os
import re

from zot_core.permissions.shell_line import read_line

_PROGRAMS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "pgrep", "diff", "cmp", "test"))
"""Programs whose exit code is 1 if nothing matches, or if there is a difference, and another one if they fail: POSIX,
and rg(1), pgrep(1)."""
_TEST = re.compile(r"(?:^|[;&|\n])[ \t]*\[\[?[ \t][^;&|\n]*[ \t]\]\]?[ \t\n]*\Z")
"""A test in brackets at the end, which is no program to a reader of shell lines."""
_LONGEST = 10_000
"""Characters of a command that is looked at."""


def found_nothing(command: str, output: str) -> bool:
    """Whether the exit code 1 of a line of shell with this output, standard error included, says only that. Where a
    program before the last one may have printed it, the answer is no."""
    if len(command) > _LONGEST:
        return False
    if _TEST.search(command) and not output.strip():
        return True
    line = read_line(command)
    if line.opaque or not line.commands or not line.commands[-1].words:
        return False
    *before, last = line.commands
    if not last.words[0].known or os.path.basename(last.words[0].shape) not in _PROGRAMS:
        return False
    only_moves = all(each.shapes[:1] == ["cd"] for each in before)
    return not output.strip() or (only_moves and ": cd: " not in output)
