"""Whether a command failed only because its last program found nothing, which its exit code 1 says; pure."""

import os
import re
import shlex

_PROGRAMS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "pgrep", "diff", "cmp", "test", "[", "[["))
"""Programs whose exit code is 1 if nothing matches, or if there is a difference, and another one if they fail: POSIX,
and rg(1), pgrep(1)."""
_CANNOT_FAIL = frozenset(("echo", "printf", "pwd", "true", ":"))
"""Programs that print on standard output only, and end with 0."""
_ENDS_EARLY = frozenset(("set", "exit", "return", "exec"))
"""After one of these the exit code need not be that of the last program."""
_BETWEEN = re.compile(r"[;|&\n]+")
_GROUP = re.compile(r"[;<>|&\n]*[()][();<>|&\n]*")
"""An operator with a bracket: `$(`, `<(`, `()`. Within a word, as in `'main('`, it is text."""
_LONGEST = 10_000
"""Characters of a command that is looked at."""


def found_nothing(command: str, output: str) -> bool:
    """Whether the exit code 1 of a line of shell with this output, standard error included, says only that. Where a
    program before the last one may have printed it, or the line is not plain, the answer is no."""
    commands = _commands(command)
    while len(commands) > 1 and commands[-2][1] == "&&" and _cannot_fail(commands[-1][0]):
        del commands[-1]  # it ends with 0, so it has not run: `test -f a && echo yes`
    if not commands or os.path.basename(commands[-1][0][0]) not in _PROGRAMS:
        return False
    before = commands[:-1]
    if any(words[0] in _ENDS_EARLY or (after == "&&" and not _is_harmless(words)) for words, after in before):
        return False  # the last program may not have run
    plain = all(words[0] == "cd" or _cannot_fail(words) for words, _ in before)
    return not output.strip() or (plain and ": cd: " not in output)


def _is_harmless(words: list[str]) -> bool:
    """Whether the 1 of a command before `&&` is no failure either, or a message says that it is one."""
    return words[0] == "cd" or os.path.basename(words[0]) in _PROGRAMS or _cannot_fail(words)


def _cannot_fail(words: list[str]) -> bool:
    return words[0] in _CANNOT_FAIL and not any("<" in word or ">" in word for word in words)


def _commands(line: str) -> list[tuple[list[str], str]]:
    """Return the words of each command of a plain line, and the operator behind it; empty for any other line."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.commenters = " \t\r", ""
    commands: list[tuple[list[str], str]] = []
    words: list[str] = []
    try:
        for word in lexer if len(line) <= _LONGEST else ():
            if "$(" in word or "`" in word or _GROUP.fullmatch(word) or (word.startswith("#") and not words):
                return []
            if _BETWEEN.fullmatch(word):
                commands.append((words, word))
                words = []
            else:
                words.append(word)
    except ValueError:  # a quote is open
        return []
    return [(words, after) for words, after in [*commands, (words, "")] if words]
