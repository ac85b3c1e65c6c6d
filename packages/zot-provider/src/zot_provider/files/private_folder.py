"""`make_private`: folders that their owner alone can enter."""

import os
from contextlib import suppress


def make_private(folder: str) -> None:
    """Create a folder and its missing parents, accessible to the owner alone whatever the umask is. Raises OSError."""
    if folder and not os.path.isdir(folder):
        make_private(os.path.dirname(folder))
        with suppress(FileExistsError):  # created by another process; a file of that name fails on opening
            os.mkdir(folder, 0o700)
