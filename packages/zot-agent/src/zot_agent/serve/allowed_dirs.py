"""`AllowedDirs`: the directories in which sessions may work."""

import os
from collections.abc import Sequence

from zot_agent.serve.http_error import HttpError
from zot_provider.errors import ConfigError


class AllowedDirs:
    """Checks that a directory is in one of `folders` (the roots), with links resolved.

    It limits where a session starts. The rights of the process limit what its tools may touch.
    """

    def __init__(self, folders: Sequence[str], base: str) -> None:
        """Relative paths, here and in `resolve`, start at `base`. Raises `ConfigError` for a root that is not a
        directory, and if `base` is outside of every root."""
        self.folders = [os.path.realpath(each) for each in folders] or [os.path.realpath(base)]
        self.base = os.path.realpath(base)
        for given, folder in zip(folders, self.folders, strict=False):
            if not os.path.isdir(folder):
                raise ConfigError(f"--root {given!r} is not a directory")
        if not self.has(self.base):
            raise ConfigError(
                f"the working directory {base!r} is outside of every --root; name one within them with --cwd"
            )

    def has(self, path: str) -> bool:
        """Whether an absolute path without links is a root or below one."""
        return any(os.path.commonpath([folder, path]) == folder for folder in self.folders)

    def resolve(self, given: str) -> str:
        """Return a directory as an absolute path without links. Raises `HttpError` if it is outside the roots
        (whether or not it exists), and if it does not exist."""
        try:
            path = os.path.realpath(os.path.join(self.base, given))
        except ValueError:  # a null byte, half of a surrogate pair
            raise HttpError(400, "cwd is not a path") from None
        if not self.has(path):
            raise HttpError(403, f"cwd {given!r} is outside the directories that are served")
        if not os.path.isdir(path):
            raise HttpError(400, f"cwd {given!r} is not a directory")
        return path
