"""The branch that is checked out, read from the repository's files: a status line asks often, git takes 3 ms."""

import os
import re
import stat

from zot_tui.text.sanitize import sanitize_line

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LONGEST = 4096
"""Bytes of a file that are read; git's own are shorter."""


def branch(cwd: str) -> str:
    """The branch of the repository that `cwd` is in: `main`, `feature/x`, a hash's first 7 digits where none is checked
    out. Empty outside of a repository, and where HEAD says nothing (the reftable format keeps it elsewhere)."""
    folder = _git_folder(os.path.abspath(cwd))
    head = _line(os.path.join(folder, "HEAD")) if folder else ""
    if not head.startswith("ref:"):
        return head[:7] if _HASH.fullmatch(head) else ""
    name = head[4:].strip().removeprefix("refs/heads/")
    return "" if name == ".invalid" else name


def _git_folder(folder: str) -> str:
    """The folder that HEAD is in: `.git`, or where a file of that name leads (a worktree, a submodule)."""
    while True:
        found = os.path.join(folder, ".git")
        if os.path.isdir(found):
            return found
        line = _line(found)
        if line.startswith("gitdir:"):
            return os.path.join(folder, line[7:].strip())
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def _line(path: str) -> str:
    """The first line of a file, made harmless; empty if it cannot be read. A pipe in its place is not waited for."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            text = os.fsdecode(file.read(_LONGEST))
    except OSError:
        return ""
    return sanitize_line(text.partition("\n")[0]).strip()
