"""Whether a command failed only because its last program found nothing, which its exit code 1 says; pure."""

import re

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


def found_nothing(command: str, output: str) -> bool:
    """Whether the exit code 1 of a line of shell with this output, standard error included, says only that: its last
    program has run, and nothing says that another one has failed. If the line is not plain, the answer is no."""
    commands = simple_commands(command)
    while len(commands) > 1 and commands[-2][1] == "&&" and _cannot_fail(commands[-1][0]):
        del commands[-1]  # it ends with 0, so it has not run: `test -f a && echo yes`
    if not commands or commands[-1][0][0] == "!" or program(commands[-1][0]) not in _PROGRAMS:
        return False
    *before, (last, _) = commands
    if any(program(words) in _ENDS_EARLY or (after == "&&" and not _is_harmless(words)) for words, after in before):
        return False  # the last program may not have run
    if program(last) in _SILENT and all(after in ("|", "|&") for _, after in before):
        return all(_COUNT.fullmatch(line) for line in output.splitlines() if line.strip())  # the rest is an error
    return not _has_failure(output, {program(words) for words, _ in before})


def _has_failure(output: str, programs: set[str]) -> bool:
    """Whether one of the programs, or the shell, has printed that it has failed, which begins with its name."""
    names = "|".join(map(re.escape, filter(None, programs)))
    return re.search(rf"^(?:\S*/)?(?:\w*sh|{names or 'sh'}):[ \d]", output, re.MULTILINE) is not None


def _is_harmless(words: list[str]) -> bool:
    """Whether the 1 of a command before `&&` is no failure either, or a message says that it is one."""
    name = program(words)
    return name in _PROGRAMS or _cannot_fail(words) or (name in _SAYS_WHY and not _redirects(words))


def _cannot_fail(words: list[str]) -> bool:
    return program(words) in _CANNOT_FAIL and not _redirects(words)


def _redirects(words: list[str]) -> bool:
    return any("<" in word or ">" in word for word in words)
