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
