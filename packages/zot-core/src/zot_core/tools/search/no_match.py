"""Whether a command failed only because its last program found nothing, which its exit code 1 says; pure."""

import os
import re
import shlex

_PROGRAMS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "pgrep", "diff", "cmp", "test", "[", "[["))
"""Programs whose exit code is 1 if nothing matches, or if there is a difference, and another one if they fail: POSIX,
and rg(1), pgrep(1)."""
_BETWEEN = re.compile(r"[;|&\n]+")
_LONGEST = 10_000
"""Characters of a command that is looked at."""


def found_nothing(command: str, output: str) -> bool:
    """Whether the exit code 1 of a line of shell with this output, standard error included, says only that. Where a
    program before the last one may have printed it, or the line is not plain, the answer is no."""
    commands = _commands(command)
    if not commands or os.path.basename(commands[-1][0]) not in _PROGRAMS:
        return False
    only_moves = all(words[0] == "cd" for words in commands[:-1])
    return not output.strip() or (only_moves and ": cd: " not in output)


def _commands(line: str) -> list[list[str]]:
    """Return the words of each command of a plain line; empty for any other."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.commenters = " \t\r", ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer if len(line) <= _LONGEST else ():
            if "(" in word or "`" in word or word.startswith("#"):
                return []
            if _BETWEEN.fullmatch(word):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:  # a quote is open
        return []
    return [words for words in commands if words]
