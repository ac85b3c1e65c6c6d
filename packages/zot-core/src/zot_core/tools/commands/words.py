"""The words of the simple commands in a line of shell; pure."""

import os
import re
import shlex
from itertools import pairwise

_BEFORE = re.compile(r"if|then|elif|else|while|until|do|\{|!|time|[A-Za-z_]\w*=.*", re.DOTALL)
"""A word that a command may follow."""
_BETWEEN = re.compile(r"[;|&\n]+")
_GROUP = re.compile(r"[;<>|&\n]*[()][();<>|&\n]*")
"""An operator with a bracket: `$(`, `<(`, `()`. Within a word, as in `'main('`, it is text."""
_LONGEST = 10_000
"""Characters of a command that is looked at."""


def program(words: list[str]) -> str:
    """Return the name of the program of a command, without its folder."""
    return next((os.path.basename(word) for word in words if not _BEFORE.fullmatch(word)), "")


def writes_file(words: list[str]) -> bool:
    """Whether the output of a command goes to a file."""
    return any(word in (">", ">>", ">|", "&>", "&>>") and before != "2" for before, word in pairwise(words))


def simple_commands(line: str, *, plain: bool = True) -> list[tuple[list[str], str]]:
    """Return the words of each command of a line, and the operator behind it. With `plain`, a line that has brackets,
    substitutions or comments has none; otherwise what is in a substitution is left out."""
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.commenters = " \t\r", ""
    commands: list[tuple[list[str], str]] = []
    words: list[str] = []
    depth = 0  # of brackets in a substitution
    try:
        for word in lexer if len(line) <= _LONGEST else ():
            group = _GROUP.fullmatch(word)
            if plain and (group or "$(" in word or "`" in word or (word.startswith("#") and not words)):
                return []
            operator = word
            if group and (depth or (words and words[-1].endswith("$"))):
                depth += word.count("(") - word.count(")")
                operator, group = word[word.rfind(")") + 1 :], None
            if depth or not operator:
                continue
            if not group and not _BETWEEN.fullmatch(operator):
                words.append(word)
                continue
            after = ";" if group else operator.strip("\n")
            if words:
                commands.append((words, after or ";"))
            elif after and commands and not group:  # behind a bracket
                commands[-1] = commands[-1][0], after
            words = []
    except ValueError:  # a quote is open
        return []
    return [*commands, (words, "")] if words else commands
