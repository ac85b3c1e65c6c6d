# Copied from `zot_provider/files/regular_file.py` by `scripts/generate_copies.py`.
"""Open files that come from outside, and read them up to a limit.

A path may lead to a named pipe or a device: a link in a cloned repository is enough. Opening or reading one of these
can block for ever, and opening a device can have effects. So only regular files are opened.
"""

import errno
import os
import stat


def open_regular(path: str, flags: int = os.O_RDONLY, *, create: bool = False) -> int:
    """Open a regular file without waiting, and return its descriptor; also an `opener` for `open`.

    With `create`, a file that does not exist is created, for its owner alone. Raises OSError, whose `strerror` says
    what else is at the path.
    """
    try:
        check_regular(os.stat(path).st_mode, path)
    except FileNotFoundError:
        if not create:
            raise
        flags |= os.O_CREAT
    # O_NONBLOCK and the second check: the file may have been replaced since, and some files below /proc wait for data.
    extra = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
    descriptor = os.open(path, flags | extra, 0o600)
    try:
        check_regular(os.fstat(descriptor).st_mode, path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def check_regular(mode: int, path: str) -> None:
    """Raise OSError unless a mode is that of a regular file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
