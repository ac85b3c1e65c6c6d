"""`find_program`: finds a program on the PATH, without `shutil`, whose import takes 2 ms of the first command."""

import os
from collections.abc import Iterable


def find_program(name: str) -> str | None:
    """Return the path of a program, or None if it is not on the PATH. Relative entries of the PATH, which could mean a
    folder of a repository, are passed over."""
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def runs_outside(name: str, folders: Iterable[str]) -> bool:
    """Whether a shell in each of `folders` finds the program `name` on the PATH, and neither it nor a link to it is in
    that folder or below it: what a link of a stranger calls `ls` may be a shell."""
    return all(_is_outside(name, folder) for folder in folders)


def _is_outside(name: str, folder: str) -> bool:
    for each in os.get_exec_path():
        path = os.path.join(folder, each, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            real = (os.path.realpath(path), os.path.join(os.path.realpath(os.path.dirname(path)), name))
            return os.path.isabs(each) and not any(one.startswith(f"{folder.rstrip('/')}/") for one in real)
    return False
