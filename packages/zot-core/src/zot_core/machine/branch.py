"""The current git branch, read from the repository's files: the status row asks often, and git takes 3 ms."""

import os
import re

from zot_core.machine.repository import first_line, git_folders, repository_top
from zot_core.printable import printable_line

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def branch(cwd: str) -> str:
    """Return the branch checked out in the repository of `cwd`: `main`, `feature/x`, or 7 digits of a detached HEAD.

    Empty outside a repository, and where HEAD does not name the branch (the reftable format stores it elsewhere).
    """
    top = repository_top(cwd)
    head = printable_line(first_line(os.path.join(git_folders(top)[0], "HEAD"))) if top else ""
    if not head.startswith("ref:"):
        return head[:7] if _HASH.fullmatch(head) else ""
    name = head[4:].strip().removeprefix("refs/heads/")
    return "" if name == ".invalid" else name
