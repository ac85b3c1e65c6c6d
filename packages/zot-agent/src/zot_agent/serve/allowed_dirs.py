"""`AllowedDirs`: the directories below which sessions may work."""

import os
from collections.abc import Sequence

from zot_agent.serve.http_error import HttpError
from zot_provider.errors import ConfigError


class AllowedDirs:
    """Says whether a directory lies below one of `folders`, links resolved.

    It decides where a session begins. What its tools may touch is decided by the rights of the process.
    """

    def __init__(self, folders: Sequence[str], base: str) -> None:
        """Relative paths, also those to be resolved later, are meant from `base`. Raises `ConfigError` for a root that
        is no directory, or without which `base` would have none."""
        self.folders = [os.path.realpath(each) for each in folders] or [os.path.realpath(base)]
        self.base = os.path.realpath(base)
        for given, folder in zip(folders, self.folders, strict=False):
            if not os.path.isdir(folder):
                raise ConfigError(f"--root {given!r} is no directory")
        if not self.has(self.base):
            raise ConfigError(
                f"the working directory {base!r} is outside of every --root; name one within them with --cwd"
            )

    def has(self, path: str) -> bool:
        """Whether an absolute path without links is a root, or lies below one."""
        return any(os.path.commonpath([folder, path]) == folder for folder in self.folders)

    def resolve(self, given: str) -> str:
        """The directory that is meant, absolute and without links. Raises `HttpError` for one outside of the roots,
        whether or not it exists, and for one that does not exist."""
        try:
            path = os.path.realpath(os.path.join(self.base, given))
        except ValueError:  # a null byte, half of a surrogate pair
            raise HttpError(400, "cwd is no path") from None
        if not self.has(path):
            raise HttpError(403, f"cwd {given!r} is outside of the directories that are served")
        if not os.path.isdir(path):
            raise HttpError(400, f"cwd {given!r} is no directory")
        return path
