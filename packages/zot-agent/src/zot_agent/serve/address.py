"""The address to listen on, `HOST:PORT` or `unix:PATH`, and its socket."""

import errno
import os
import re
import socket
import stat
from ipaddress import ip_address

from zot_provider.errors import ConfigError, ZotError
from zot_provider.record import Record

_BACKLOG = 128
_UNREAD_MILLISECONDS = 600_000
"""How long a peer may read nothing before its connection is closed."""
_PROBE = 1.0
"""Seconds to find out whether a process listens on an existing Unix socket."""


class CannotListen(ZotError):
    """The address is in use or not available."""


class Address(Record):
    """A host without brackets and a port, 0 for any free port; or the absolute `path` of a Unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def local(self) -> bool:
        """Whether only programs on this machine can connect."""
        return bool(self.path) or self.host == "localhost" or ip_address(self.host).is_loopback

    def __str__(self) -> str:
        if self.path:
            return f"unix:{self.path}"
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Parse the value of `--listen`. Raises `ConfigError`."""
    if text.startswith("unix:"):
        if not text.removeprefix("unix:"):
            raise ConfigError("--listen unix: needs the path of a socket, as in --listen unix:zot.sock")
        return Address(path=os.path.abspath(os.path.expanduser(text.removeprefix("unix:"))))
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not (re.fullmatch("[0-9]{1,5}", port) and int(port) < 1 << 16):
        raise ConfigError(f"--listen {text!r} is neither HOST:PORT, as in 127.0.0.1:8370, nor unix:PATH")
    if host != "localhost":
        try:
            ip_address(host)
        except ValueError:
            raise ConfigError(f"--listen {text!r}: {host!r} is not an IP address; localhost is the only name") from None
    return Address(host=host, port=int(port))


def open_socket(address: Address) -> tuple[socket.socket, Address]:
    """Return a listening socket, and its address with the actual port. Raises `CannotListen`.

    Only its owner can use a Unix socket. A socket left behind by a dead process is replaced; a socket that is in use,
    and any other file, is not.
    """
    return (_open_unix(address), address) if address.path else _open_tcp(address)


def _open_tcp(address: Address) -> tuple[socket.socket, Address]:
    host = "127.0.0.1" if address.host == "localhost" else address.host
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit these options: they detect a vanished peer, and a peer that reads nothing.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_USER_TIMEOUT", _UNREAD_MILLISECONDS)):
            if hasattr(socket, name):
                listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        listener.bind((host, address.port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        hint = "; name another port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else ""
        raise CannotListen(f"cannot listen on {address}: {error.strerror}{hint}") from None
    return listener, address.replace(port=listener.getsockname()[1])


def _open_unix(address: Address) -> socket.socket:
    path = address.path
    listener = socket.socket(socket.AF_UNIX)
    try:
        _remove_unused_socket(path)
        before = os.umask(0o177)  # the socket must never be open to others, not even before a chmod
        try:
            listener.bind(path)
        finally:
            os.umask(before)
        listener.listen(_BACKLOG)
    except OSError as error:  # for a path that is too long, strerror is empty
        listener.close()
        raise CannotListen(f"cannot listen on {address}: {error.strerror or error}") from None
    except BaseException:
        listener.close()
        raise
    return listener


def _remove_unused_socket(path: str) -> None:
    """Remove the socket at `path` if no process listens on it. Raises `CannotListen` if the path is taken."""
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise CannotListen(f"cannot listen on unix:{path}: there is something else at this path")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except TimeoutError:  # a process listens, but is busy
            pass
    raise CannotListen(f"cannot listen on unix:{path}: another process does already")


class SocketFile:
    """The file of a Unix socket, removed at the end unless another process has replaced it."""

    def __init__(self, address: Address) -> None:
        self._path = address.path
        self._identity = self._read_identity()

    def _read_identity(self) -> tuple[int, int] | None:
        try:
            found = os.lstat(self._path) if self._path else None
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if found else None

    def remove(self) -> None:
        """Remove the file, unless another one has replaced it."""
        if self._identity is not None and self._read_identity() == self._identity:
            os.unlink(self._path)
