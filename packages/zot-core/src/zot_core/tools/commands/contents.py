"""Whether a command prints what is in files, which a model must read as it is; pure."""

import os
import re

from zot_core.tools.commands.words import program, simple_commands, writes_file

_TEXT = """
awk bat cat column cut diff egrep fgrep gawk grep head hexdump jq less mawk more nl od paste rg sed sort strings tac
tail uniq xxd yq zcat zgrep
"""
_PRINTS = frozenset(_TEXT.split())
_GIT_PRINTS = frozenset(("blame", "cat-file", "diff", "grep", "log", "show"))
_STARTS = frozenset(("env", "fd", "find", "git", "nice", "sudo", "timeout", "xargs"))
"""Programs of whose arguments one is the program that prints, or the subcommand."""
_PASSES = frozenset(("echo", "find", "fd", "ls", "printf", "tee", "tr", "wc"))
"""Programs without a log: a pipeline of them and a program that prints files prints files."""
_QUIET = re.compile(
    r"\w*grep -\w*q\w*|(?:rg|diff|git) -q|(?:\w*grep|rg|diff|git) --(?:quiet|silent|brief)"
    r"|sed -[Enrsz]*i.*|sed --in-place.*|sort -o.*"
)
"""With one of these options such a program prints nothing of a file: `grep -q`, `sed -i`."""


def prints_contents(command: str) -> bool:
    """Whether a line of shell prints files, or lines of them, and not only the output of programs: in one of its
    pipelines nothing else runs."""
    pipeline: list[list[str]] = []
    for words, after in simple_commands(command, plain=False):
        pipeline.append(words)
        if after in ("|", "|&"):
            continue
        prints = [_prints(each) for each in pipeline]
        passes = (shows or program(each) in _PASSES for shows, each in zip(prints, pipeline, strict=True))
        if any(prints) and all(passes) and not writes_file(words):
            return True
        pipeline = []
    return False


def _prints(words: list[str]) -> bool:
    name = program(words)
    if any(_QUIET.fullmatch(f"{name} {word}") for word in words):
        return False
    if name in _STARTS:
        return any(os.path.basename(word) in _PRINTS or (name == "git" and word in _GIT_PRINTS) for word in words)
    return name in _PRINTS
