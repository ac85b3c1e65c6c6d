"""Atomic replacement of a file: a reader never sees half of it, and a crash leaves the old file or the new one."""

import contextlib
import os
import stat

NO_RIGHTS_OF_ITS_OWN = ~(stat.S_ISUID | stat.S_ISGID)
"""A mask for a mode, which takes away what makes a program run with the rights of its file."""
_CAPABILITIES = "security.capability"


def replace_file(
    path: str,
    data: bytes,
    *,
    mode: int | None = None,
    keep_owner: bool = False,
    beside: str = "",
    folder: int | None = None,
) -> None:
    """Write `data` to a temporary file and rename it to `path`, which must not be a link: a link would be replaced.

    `mode` are the permission bits. Without it, an existing file keeps its bits; a new file gets 0o666 minus the umask.
    Without it or with `keep_owner`, an existing file keeps its owner and extended attributes, as far as the system
    allows it. What makes a program run with other rights than its user has (setuid, setgid, capabilities) is not
    kept, as if the file had been written in place. At no time can more users read the temporary file than `path`.

    `beside` is the temporary path, for a caller that cleans up after killed processes; by default it is a random name
    in the folder of `path`, which must exist. With `folder`, the descriptor of an open folder, `path` is a name in it,
    and a link of that name is replaced.

    Raises OSError, and then leaves no temporary file. No fsync: it costs up to 30 ms, and after a power failure the old
    file or the new one is still there.
    """
    temporary = beside or os.path.join(os.path.dirname(path), f".zot-{os.urandom(6).hex()}.tmp")
    if beside:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)
    old = _status(path, folder) if mode is None or keep_owner else None
    if mode is None and old is not None:
        mode = stat.S_IMODE(old.st_mode) & NO_RIGHTS_OF_ITS_OWN
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600, dir_fd=folder)
    try:
        try:
            write_all(descriptor, data)
            if old is not None:
                _keep_owner(descriptor, old)
            if mode is not None and hasattr(os, "fchmod"):  # Windows has none
                os.fchmod(descriptor, mode)
            if old is not None:
                _keep_attributes(descriptor, path if folder is None else f"/proc/self/fd/{folder}/{path}")
        finally:
            os.close(descriptor)
        os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`, with as many writes as the system needs."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _status(path: str, folder: int | None) -> os.stat_result | None:
    try:
        found = os.stat(path, dir_fd=folder, follow_symlinks=folder is None)
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _keep_owner(descriptor: int, old: os.stat_result) -> None:
    if not hasattr(os, "fchown"):  # Windows
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        # The file of another user: only root can keep the owner.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)


def _keep_attributes(descriptor: int, path: str) -> None:
    if not hasattr(os, "listxattr"):  # only Linux has these functions
        return
    with contextlib.suppress(OSError):  # some file systems have no attributes
        for name in os.listxattr(path, follow_symlinks=False):
            if name == _CAPABILITIES:
                continue
            with contextlib.suppress(OSError):  # only root may set some
                os.setxattr(descriptor, name, os.getxattr(path, name, follow_symlinks=False))
