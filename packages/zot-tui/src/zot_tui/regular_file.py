"""Open a file that comes from outside. (`zot_provider.files` has more of this; this package knows no agents.)"""

import errno
import os
import stat


def open_regular(path: str, flags: int = os.O_RDONLY, *, create: bool = False) -> int:
    """Open a regular file and return its descriptor, without ever waiting for a named pipe or a device; also an
    `opener` for `open`. With `create`, a missing file is created, for its owner alone. Raises OSError, also for a file
    that is not regular."""
    try:
        _check(os.stat(path).st_mode)
    except FileNotFoundError:
        if not create:
            raise
        flags |= os.O_CREAT
    extra = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
    descriptor = os.open(path, flags | extra, 0o600)
    try:
        _check(os.fstat(descriptor).st_mode)  # it may have been replaced since
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")
