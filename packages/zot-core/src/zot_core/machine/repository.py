"""Where a git repository is, from its files: no program runs."""

import os

from zot_provider.files.regular_file import read_start

_MAX_BYTES = 4096
"""Bytes read of a file; the files that git writes are shorter."""


def repository_top(cwd: str) -> str:
    """Return the folder with `.git` around `cwd`, without links; empty without one."""
    folder = os.path.realpath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def is_foreign(folder: str, cwd: str) -> bool:
    """Whether git works in another repository in `folder` than in `cwd`; both are real paths. A bare repository counts,
    under whatever name."""
    top = repository_top(cwd)
    while folder != cwd:
        if looks_bare(folder):
            return True
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder != top
        parent = os.path.dirname(folder)
        if parent == folder:
            return top != ""
        folder = parent
    return False


def looks_bare(folder: str) -> bool:
    """Whether a folder has what git looks for in a repository without a checkout: `HEAD`, also as a link to nothing,
    and the rest, which may be elsewhere (gitrepository-layout(5), commondir)."""
    looked = ("HEAD", "commondir", "objects", "refs")
    there = {name for name in looked if os.path.lexists(os.path.join(folder, name))}
    return "HEAD" in there and ("commondir" in there or len(there) == 3)


def git_folders(top: str) -> tuple[str, str]:
    """Return the git directory of the checkout in `top`, and the one of its repository, which worktrees share. A file
    `.git`, which leads to them, may be a stranger's."""
    own = os.path.join(top, ".git")
    if os.path.isfile(own):  # a worktree or a submodule
        own = os.path.join(top, first_line(own).removeprefix("gitdir:").strip())
    own = os.path.realpath(own)
    return own, os.path.realpath(os.path.join(own, first_line(os.path.join(own, "commondir"))))


def first_line(path: str) -> str:
    """Return the first line of a file of git's, without blanks around it; empty if it is not a readable regular
    file."""
    try:
        return os.fsdecode(read_start(path, _MAX_BYTES)).partition("\n")[0].strip()
    except OSError:
        return ""
