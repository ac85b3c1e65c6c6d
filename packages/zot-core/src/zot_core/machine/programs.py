"""`find_program`: finds a program on the PATH, without `shutil`, whose import takes 2 ms of the first command."""

import os


def find_program(name: str) -> str | None:
    """Return the path of a program, or None if it is not on the PATH. Relative entries of the PATH, which could mean a
    folder of a repository, are passed over."""
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def runs_outside(name: str, folder: str) -> bool:
    """Whether a shell in `folder` finds the program `name` on the PATH, and not in that folder or below it."""
    for each in os.get_exec_path():
        path = os.path.join(folder, each, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.isabs(each) and not os.path.realpath(path).startswith(f"{folder.rstrip('/')}/")
    return False
