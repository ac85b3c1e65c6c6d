"""`IgnoreRules`: the `.gitignore` files of a tree, which exclude paths from a walk, and what git reads besides:
`.git/info/exclude` of the repository, and the person's own for all repositories (`core.excludesFile`).

If several files have a rule for a path, the nearest file decides, then the repository's, then the person's. Nothing in
an excluded folder can be included again: the walk does not enter it.
"""

import os
import re
from functools import partial
from typing import NamedTuple

from zot_core.aio import in_thread
from zot_core.machine.interface import Files
from zot_core.tools.search.gitignore import Gitignore

NAME = ".gitignore"
_BYTES = 128 * 1024
"""Bytes of a `.gitignore` that are read; the rest is not applied. Files written by people are a tenth of that."""
_EXCLUDES = re.compile(r"\s*excludesfile\s*=\s*(.+)", re.IGNORECASE)
_THREAD_BYTES = 1024
"""A longer file may take some 10 ms to parse; a thread does it beside the event loop."""


class FileRules(NamedTuple):
    """The rules of one file; they apply to the part of a path after its first `start` characters."""

    start: int
    file: Gitignore


class IgnoreRules(NamedTuple):
    """The rules that apply in a folder, outermost file first. Their paths are relative to one top folder.

    `up` is the path from that top folder to the start of the walk, empty or ending in a slash.
    """

    up: str = ""
    rules: tuple[FileRules, ...] = ()

    def __call__(self, path: str) -> bool:
        """Whether `path`, relative to the start of the walk, is excluded; folders end in a slash."""
        full = self.up + path
        for start, file in reversed(self.rules):
            verdict = file.verdict(full[start:])
            if verdict is not None:
                return verdict
        return False

    @property
    def size(self) -> int:
        return sum(file.size for _, file in self.rules)

    async def below(self, folder: str, path: str, files: Files) -> "IgnoreRules":
        """Return these rules plus the `.gitignore` in `folder`; `path` is its path, as in `__call__`."""
        return await self._with(os.path.join(folder, NAME), len(self.up + path), files)

    async def _with(self, path: str, start: int, files: Files) -> "IgnoreRules":
        """Return these rules plus the rules of the file `path`, if it can be read."""
        text = await _text(path, files)
        if not text:
            return self
        file = await in_thread(partial(Gitignore, text)) if len(text) > _THREAD_BYTES else Gitignore(text)
        return IgnoreRules(self.up, (*self.rules, FileRules(start, file)))


async def rules_above(base: str, cwd: str, files: Files) -> IgnoreRules:
    """Return the rules for the folder `base` from the folders above it, up to the root of its repository.

    Outside a repository the working directory counts as the root. If they exclude `base` itself, the result is empty:
    the caller named that folder on purpose.
    """
    root = await _root(base, cwd, files)
    inner = os.path.relpath(base, root)
    found = IgnoreRules()
    if repository := await _repository(root, files):
        for each in (await _excludes_file(repository, files), os.path.join(repository, "info", "exclude")):
            found = await found._with(each, 0, files)
    if inner == ".":
        return found
    up = f"{inner}/"
    folder, path = root, ""
    for part in inner.split(os.sep):
        found = await IgnoreRules("", found.rules).below(folder, path, files)
        folder, path = os.path.join(folder, part), f"{path}{part}/"
        if found(path):
            return IgnoreRules()
    return IgnoreRules(up, found.rules)


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


async def _text(path: str, files: Files) -> str:
    try:
        content = await files.read(path, _BYTES)
    except OSError:
        return ""
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


async def _repository(root: str, files: Files) -> str:
    """Return the folder with what git knows of the repository, which its worktrees share; empty outside one."""
    folder = os.path.join(root, ".git")
    try:
        if (await files.stat(folder)).kind == "file":  # a worktree or a submodule
            folder = os.path.join(root, (await _text(folder, files)).removeprefix("gitdir:").strip())
            folder = os.path.join(folder, (await _text(os.path.join(folder, "commondir"), files)).strip())
    except OSError:
        return ""
    return folder


async def _excludes_file(repository: str, files: Files) -> str:
    """Return the path of `core.excludesFile`, see gitignore(5) and git-config(1). Files that a configuration includes
    are not read."""
    config = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git")
    own = os.environ.get("GIT_CONFIG_GLOBAL")
    person = [own] if own is not None else [os.path.join(config, "config"), os.path.expanduser("~/.gitconfig")]
    found = os.path.join(config, "ignore")
    for path in ("/etc/gitconfig", *person, os.path.join(repository, "config")):
        section = ""
        for line in (await _text(path, files)).splitlines() if path else []:
            if line.strip().startswith("["):
                section = line.strip().lower()
            elif section == "[core]" and (row := _EXCLUDES.match(line)) is not None:
                found = os.path.expanduser(row[1].strip().strip('"'))
    return found
