"""Whether a command failed only because its last program found nothing, which its exit code says; pure."""

import os
import re
from itertools import pairwise

from zot_core.tools.commands.words import program, simple_commands

_PROGRAMS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "pgrep", "diff", "cmp", "test", "[", "[["))
"""Programs whose exit code is 1 if nothing matches, or if there is a difference, and another one if they fail: POSIX,
and rg(1), pgrep(1)."""
_SILENT = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "test", "[", "[["))
"""Programs that print nothing with their 1, or a count of 0: `grep -c`."""
_COUNT = re.compile(r"(?:.*:)?0\n?")
_CANNOT_FAIL = frozenset(("echo", "printf", "pwd", "true", ":"))
"""Programs that print on standard output only, and end with 0."""
_SAYS_WHY = frozenset(
    ("cat", "cd", "cut", "file", "find", "head", "ls", "nl", "sed", "sort", "stat", "tail", "tr", "wc")
)
"""Programs that never fail without a message."""
_ENDS_EARLY = frozenset(("set", "exit", "return", "exec", "trap"))
"""After one of these the exit code need not be that of the last program."""
_STARTS = frozenset(("command", "env", "nice", "nohup", "stdbuf", "timeout", "xargs"))
"""Programs that start another one, which their arguments name."""
_OPTION = re.compile(r"-.*|\d+[smhd]?|[{}%]|\\[n0]|[A-Za-z_]\w*=.*", re.DOTALL)
"""Their own words before its name, such as `-n 5`, `-I {}`."""
_GIT_SEARCHES = {"grep": "grep", "diff": "diff", "diff-files": "diff", "diff-index": "diff", "diff-tree": "diff"}
_XARGS_CODE = 123
"""The exit code of xargs if a program that it started ended with 1 to 125: so do GNU and BSD, POSIX leaves it open."""
_COMMENT = re.compile(r"^[ \t]*#.*\n", re.MULTILINE)


def found_nothing(command: str, output: str, code: int = 1) -> bool:
    """Whether the exit code of a line of shell with this output, standard error included, says only that: its last
    program has run, and nothing says that another one has failed. If the line is not plain, the answer is no."""
    commands = simple_commands(_COMMENT.sub("", command))
    programs = {program(words) for words, _ in commands}
    while len(commands) > 1 and commands[-2][1] == "&&" and _tells_failure(commands[-1][0]):
        del commands[-1]  # it has not run, or says why it failed: `test -f a && cat a`
    if not commands or commands[-1][0][0] == "!" or _searches(commands[-1][0]) not in _PROGRAMS:
        return False
    *before, (last, _) = commands
    if any(program(words) in _ENDS_EARLY or (after == "&&" and not _is_harmless(words)) for words, after in before):
        return False  # the last program may not have run
    name, starts = _searches(last), program(last)
    if code != (_XARGS_CODE if starts == "xargs" else 1):
        return False
    if starts in ("find", "xargs"):  # they start it more than once, and some of it may have found something
        return not _has_failure(output, {*programs, name})
    if name in _SILENT and all(after in ("|", "|&") for _, after in before):
        return all(_COUNT.fullmatch(line) for line in output.splitlines() if line.strip())  # the rest is an error
    return not _has_failure(output, programs - {name} | ({"error", "fatal"} if "git" in programs else set()))


def _searches(words: list[str]) -> str:
    """Return the name of the program whose answer a command ends with, also where another one starts it."""
    name = program(words)
    rest = words[next((at for at, word in enumerate(words, 1) if os.path.basename(word) == name), 0) :]
    if name == "find":
        return next((program([word]) for flag, word in pairwise(rest) if flag in ("-exec", "-execdir")), "")
    if name == "git":
        options = [at for at, word in enumerate(rest) if word in ("-C", "-c")]
        rest = [word for at, word in enumerate(rest) if not {at, at - 1} & {*options}]
        return _GIT_SEARCHES.get(next((word for word in rest if not word.startswith("-")), ""), "")
    return program([word for word in rest if not _OPTION.fullmatch(word)][:1]) if name in _STARTS else name


def _has_failure(output: str, programs: set[str]) -> bool:
    """Whether one of the programs, or the shell, has printed that it has failed, which begins with its name."""
    names = "|".join(map(re.escape, filter(None, programs)))
    return re.search(rf"^(?:\S*/)?(?:\w*sh|{names or 'sh'}):[ \d]", output, re.MULTILINE) is not None


def _is_harmless(words: list[str]) -> bool:
    """Whether the 1 of a command before `&&` is no failure either, or a message says that it is one."""
    return _searches(words) in _PROGRAMS or _tells_failure(words)


def _tells_failure(words: list[str]) -> bool:
    return program(words) in _CANNOT_FAIL | _SAYS_WHY and not _redirects(words)


def _redirects(words: list[str]) -> bool:
    return any("<" in word or ">" in word for word in words)
