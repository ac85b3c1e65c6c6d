"""`Ignored`: what the `.gitignore` files of a tree keep out of a walk.

Of several files that have a rule for a path, the one nearest to it decides. What is in a folder that is kept out cannot
be let in again: a walk does not go there.
"""

import os
from typing import NamedTuple

from zot_core.machine.interface import Files
from zot_core.tools.search.gitignore import Gitignore

NAME = ".gitignore"
_BYTES = 1024 * 1024


class Rules(NamedTuple):
    """One file's rules; they are for what follows the first `start` characters of a path."""

    start: int
    file: Gitignore


class Ignored(NamedTuple):
    """The rules that hold in a folder, the outermost first. Paths are relative to one folder, `up` leads there.

    `up` is the path from that folder to the one whose walk began, empty or with a slash at its end.
    """

    up: str = ""
    rules: tuple[Rules, ...] = ()

    def __call__(self, path: str) -> bool:
        """Whether `path`, relative to the folder whose walk began, is kept out; folders end in a slash."""
        full = self.up + path
        for start, file in reversed(self.rules):
            verdict = file.verdict(full[start:])
            if verdict is not None:
                return verdict
        return False

    async def below(self, folder: str, path: str, files: Files) -> "Ignored":
        """With the rules of the `.gitignore` in `folder`; `path` is the folder's own, as for a call."""
        try:
            content = await files.read(os.path.join(folder, NAME), _BYTES)
        except OSError:
            return self
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        return Ignored(self.up, (*self.rules, Rules(len(self.up + path), Gitignore(text))))


async def rules_above(base: str, cwd: str, files: Files) -> Ignored:
    """The rules that hold in the folder `base` because of the folders above it, up to the root of its repository.

    Outside a repository the working directory counts as the root. A folder that these rules keep out has none: who
    names it wants to look into it.
    """
    root = await _root(base, cwd, files)
    inner = os.path.relpath(base, root)
    if inner == ".":
        return Ignored()
    up = f"{inner}/"
    found = Ignored(up)
    folder, path = root, ""
    for part in inner.split(os.sep):
        found = await Ignored("", found.rules).below(folder, path, files)
        folder, path = os.path.join(folder, part), f"{path}{part}/"
        if found(path):
            return Ignored()
    return Ignored(up, found.rules)


async def _root(base: str, cwd: str, files: Files) -> str:
    folder = os.path.normpath(base)
    while True:
        try:
            await files.stat(os.path.join(folder, ".git"))
            return folder
        except OSError:
            above = os.path.dirname(folder)
        if above == folder:
            cwd = os.path.normpath(cwd)
            return cwd if os.path.normpath(base).startswith(cwd.rstrip("/") + "/") else os.path.normpath(base)
        folder = above
