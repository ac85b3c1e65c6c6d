"""The current git branch, read from the repository's files: the status row asks often, and git takes 3 ms."""

import os
import re

from zot_provider.files.regular_file import read_start
from zot_tui.text.sanitize import sanitize_line

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MAX_BYTES = 4096
"""Bytes read of a file; the files that git writes are shorter."""


def branch(cwd: str) -> str:
    """Return the branch checked out in the repository of `cwd`: `main`, `feature/x`, or 7 digits of a detached HEAD.

    Empty outside a repository, and where HEAD does not name the branch (the reftable format stores it elsewhere).
    """
    folder = _git_folder(os.path.abspath(cwd))
    head = _line(os.path.join(folder, "HEAD")) if folder else ""
    if not head.startswith("ref:"):
        return head[:7] if _HASH.fullmatch(head) else ""
    name = head[4:].strip().removeprefix("refs/heads/")
    return "" if name == ".invalid" else name


def _git_folder(folder: str) -> str:
    """Return the folder with HEAD: `.git`, or the folder named in a `.git` file (a worktree, a submodule)."""
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
    """Return the first line of a file, sanitized; empty if it is not a readable regular file."""
    try:
        text = os.fsdecode(read_start(path, _MAX_BYTES))
    except OSError:
        return ""
    return sanitize_line(text.partition("\n")[0]).strip()
