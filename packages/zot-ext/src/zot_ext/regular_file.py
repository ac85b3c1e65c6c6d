"""Read a file that comes from outside. (`zot_provider.files` has more of this; this package has no dependency.)"""

from __future__ import annotations

import errno
import os
import stat


def read_regular(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return the content of a regular file, without ever waiting for a named pipe or a device.

    Raises OSError, also for a file that is not regular or has more than `limit` bytes; `strerror` says so.
    """
    _check(os.stat(path).st_mode)
    flags = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        _check(os.fstat(descriptor).st_mode)  # it may have been replaced since
        parts = []
        allowed = limit
        while limit >= 0 and (part := os.read(descriptor, limit + 1)):
            parts.append(part)
            limit -= len(part)
    finally:
        os.close(descriptor)
    if limit < 0:
        raise OSError(errno.EFBIG, f"larger than {allowed:,} bytes")
    return b"".join(parts)


def _check(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")
