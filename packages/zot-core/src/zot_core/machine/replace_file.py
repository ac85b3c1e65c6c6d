"""A file that is replaced as a whole: nobody reads half of it, and a crash leaves the old file or the new one."""

import contextlib
import os
import stat


def replace_file(path: str, data: bytes, *, mode: int | None = None, beside: str = "") -> None:
    """Write `data` beside `path`, and rename that into place. `path` is no link: a link would be replaced.

    `mode` are the permission bits. Without it a file that is there keeps its own, and its owner where the system allows
    that; a new one has what the umask leaves of 0o666. `beside` is the path to write to, for a caller that removes what
    a killed process has left; without it the name is random, in the folder of `path`, which must be there.

    Raises OSError, and leaves nothing behind. No fsync: it costs up to 30 ms, and a machine that loses power in the
    seconds after still has the old file or the new one.
    """
    temporary = beside or os.path.join(os.path.dirname(path), f".zot-{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if beside else os.O_EXCL) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else mode)
    try:
        try:
            write_all(descriptor, data)
            if mode is None:
                _keep_owner_and_mode(descriptor, path)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_all(descriptor: int, data: bytes) -> None:
    """Write `data`, however little the system takes at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _keep_owner_and_mode(descriptor: int, path: str) -> None:
    if not hasattr(os, "fchown"):  # Windows
        return
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        # Another's file: only root can give it back.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
