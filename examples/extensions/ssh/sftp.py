"""`Sftp`: the files of another machine, over the channel of `ssh -s sftp`.

The protocol is version 3: https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02. Requests are numbered, so
that many can wait for their answers at the same time.
"""

import asyncio
import errno
import os
import secrets
import stat
import struct
from collections.abc import Iterable
from typing import NamedTuple

OPEN, CLOSE, READ, WRITE, SETSTAT, OPENDIR, READDIR, REMOVE, MKDIR, REALPATH, STAT = (
    3,
    4,
    5,
    6,
    9,
    11,
    12,
    13,
    14,
    16,
    17,
)
EXTENDED, STATUS, HANDLE, DATA, NAME, ATTRS = 200, 101, 102, 103, 104, 105
FOR_READING, FOR_WRITING, CREATE, EMPTY, NEW = 0x01, 0x02, 0x08, 0x10, 0x20
END = 1
"""The status of `READ` and `READDIR` after the last answer."""
PIECE, AT_ONCE = 32 * 1024, 16
"""Bytes that every server reads and writes at once, and how many such requests wait for their answers."""
LONGEST = 1 << 20
"""Bytes of a packet; a server that announces a longer one is no server of files."""
NUMBERS = {2: errno.ENOENT, 3: errno.EACCES, 4: errno.EINVAL, 8: errno.EINVAL}


class Attributes(NamedTuple):
    size: int
    mode: int


class Sftp:
    """Speaks to a server of files over the pipes of a process. Raises OSError; `ConnectionResetError` after its
    end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._waiting: dict[int, asyncio.Future[tuple[int, bytes]]] = {}
        self._count = 0
        self._lost = ""

    async def begin(self) -> None:
        """Agree on the version, and read answers from now on."""
        self._send(struct.pack(">BI", 1, 3))
        await self._packet()
        self._reading = asyncio.create_task(self._read_all())

    async def stat(self, path: str) -> Attributes:
        """What is at a path; links are followed."""
        return _attributes(await self._ask(STAT, _text(path)), 0)[0]

    async def real(self, path: str) -> str:
        """The path without links; of what does not exist, that of the folder above and the rest."""
        rest = ""
        while True:
            try:
                found = _names(await self._ask(REALPATH, _text(path)))[0][0]
                return os.path.normpath(os.path.join(found, rest)) if rest else found
            except FileNotFoundError:
                path, _, name = path.rstrip("/").rpartition("/")
                path, rest = path or "/", os.path.join(name, rest) if rest else name

    async def read(self, path: str, offset: int, length: int) -> bytes:
        """A piece of a file."""
        handle = await self._open(path, FOR_READING)
        try:
            starts = range(offset, offset + length, PIECE)
            sizes = [min(PIECE, offset + length - start) for start in starts]
            parts = await asyncio.gather(*(self._read(handle, *each) for each in zip(starts, sizes, strict=True)))
        finally:
            self._forget(CLOSE, _bytes(handle))
        found = b""
        for part, size in zip(parts, sizes, strict=True):
            found += part
            if len(part) < size:
                break
        return found

    async def list(self, path: str) -> list[tuple[str, int]]:
        """Names and modes of the entries of a folder; links are not followed."""
        handle = _handle(await self._ask(OPENDIR, _text(path)))
        found: list[tuple[str, int]] = []
        try:
            while (answer := await self._ask(READDIR, _bytes(handle), end=True)) is not None:
                found += _names(answer)
        finally:
            self._forget(CLOSE, _bytes(handle))
        return [each for each in found if each[0] not in (".", "..")]

    async def write(self, path: str, data: bytes) -> None:
        """Replace a file in one step: the content goes to a new file beside it, which takes its place."""
        path = await self.real(path)
        try:
            before = await self.stat(path)
        except FileNotFoundError:
            before = None
            await self._make_folders(os.path.dirname(path))
        else:
            self._forget(CLOSE, _bytes(await self._open(path, FOR_WRITING)))  # whether it may be changed
        folder, name = os.path.split(path)
        new = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(4)}.new")
        try:
            handle = await self._open(new, FOR_WRITING | CREATE | NEW)
        except PermissionError:
            if before is None:
                raise
            await self._fill(await self._open(path, FOR_WRITING | EMPTY), data)  # the folder may not be changed
            return
        try:
            await self._fill(handle, data)
            if before is not None:
                await self._ask(SETSTAT, _text(new) + struct.pack(">II", 4, stat.S_IMODE(before.mode)))
            await self._ask(EXTENDED, _text("posix-rename@openssh.com") + _text(new) + _text(path))
        except BaseException:
            self._forget(REMOVE, _text(new))
            raise

    def close(self, why: str) -> None:
        """Fail what waits, and all that is asked later."""
        self._lost = self._lost or why
        for each in self._waiting.values():
            if not each.done():
                each.set_exception(ConnectionResetError(self._lost))
        self._waiting.clear()

    # Requests

    async def _open(self, path: str, flags: int) -> bytes:
        return _handle(await self._ask(OPEN, _text(path) + struct.pack(">II", flags, 0)))

    async def _read(self, handle: bytes, start: int, size: int) -> bytes:
        found = b""
        while len(found) < size:
            place = struct.pack(">QI", start + len(found), size - len(found))
            answer = await self._ask(READ, _bytes(handle) + place, end=True)
            if answer is None:
                break
            found += _handle(answer)
        return found

    async def _fill(self, handle: bytes, data: bytes) -> None:
        try:
            for first in range(0, len(data), PIECE * AT_ONCE):
                starts = range(first, min(first + PIECE * AT_ONCE, len(data)), PIECE)
                work = (
                    self._ask(WRITE, _bytes(handle) + struct.pack(">Q", each) + _bytes(data[each : each + PIECE]))
                    for each in starts
                )
                await asyncio.gather(*work)
        finally:
            closed = self._ask(CLOSE, _bytes(handle))
        await closed  # a full disk may be noticed here

    async def _make_folders(self, path: str) -> None:
        missing = []
        while path != "/":
            try:
                await self.stat(path)
                break
            except FileNotFoundError:
                missing.append(path)
                path = os.path.dirname(path)
        for each in reversed(missing):
            await self._ask(MKDIR, _text(each) + struct.pack(">I", 0))

    async def _ask(self, kind: int, payload: bytes, *, end: bool = False) -> bytes | None:
        """Send a request and return the payload of its answer; None after the end of a file or folder, with `end`."""
        if self._lost:
            raise ConnectionResetError(self._lost)
        self._count += 1
        id = self._count
        answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = answer
        try:
            self._send(struct.pack(">BI", kind, id) + payload)
            await self._writer.drain()
            found, rest = await answer
        finally:
            self._waiting.pop(id, None)
        if found != STATUS:
            return rest
        (status,) = struct.unpack_from(">I", rest)
        if status == 0:
            return b""
        if status == END and end:
            return None
        number = NUMBERS.get(status, errno.EINVAL)
        words = _take(rest, 4)[0].decode(errors="replace")
        raise OSError(number, os.strerror(number) if status in (2, 3) else f"the server says: {words}")

    def _forget(self, kind: int, payload: bytes) -> None:
        """Send a request whose answer is of no interest."""
        if not self._lost:
            self._count += 1
            self._send(struct.pack(">BI", kind, self._count) + payload)

    def _send(self, packet: bytes) -> None:
        self._writer.write(struct.pack(">I", len(packet)) + packet)

    async def _packet(self) -> bytes:
        (length,) = struct.unpack(">I", await self._reader.readexactly(4))
        if length > LONGEST:
            raise ConnectionResetError("the other side is no server of files")
        return await self._reader.readexactly(length)

    async def _read_all(self) -> None:
        try:
            while True:
                packet = await self._packet()
                waiting = self._waiting.get(struct.unpack_from(">I", packet, 1)[0])
                if waiting is not None and not waiting.done():
                    waiting.set_result((packet[0], packet[5:]))
        except (OSError, asyncio.IncompleteReadError, struct.error) as error:
            self.close(str(error) if isinstance(error, ConnectionError) else "the connection was lost")


def _bytes(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _text(path: str) -> bytes:
    return _bytes(os.fsencode(path))


def _take(packet: bytes | None, at: int) -> tuple[bytes, int]:
    (length,) = struct.unpack_from(">I", packet or b"", at)
    return (packet or b"")[at + 4 : at + 4 + length], at + 4 + length


def _handle(packet: bytes | None) -> bytes:
    return _take(packet, 0)[0]


def _attributes(packet: bytes | None, at: int) -> tuple[Attributes, int]:
    packet, size, mode = packet or b"", 0, 0
    (flags,) = struct.unpack_from(">I", packet, at)
    at += 4
    if flags & 1:
        (size,), at = struct.unpack_from(">Q", packet, at), at + 8
    at += 8 if flags & 2 else 0
    if flags & 4:
        (mode,), at = struct.unpack_from(">I", packet, at), at + 4
    at += 8 if flags & 8 else 0
    if flags & 0x80000000:
        (count,), at = struct.unpack_from(">I", packet, at), at + 4
        for _ in range(2 * count):
            _, at = _take(packet, at)
    return Attributes(size, mode), at


def _names(packet: bytes | None) -> list[tuple[str, int]]:
    (count,), at, found = struct.unpack_from(">I", packet or b""), 4, []
    for _ in range(count):
        name, at = _take(packet, at)
        _, at = _take(packet, at)  # the line of `ls -l`
        attributes, at = _attributes(packet, at)
        found.append((os.fsdecode(name), attributes.mode))
    return found


def kind(mode: int) -> str:
    """The kind of a file with this mode."""
    kinds: Iterable[tuple[int, str]] = ((stat.S_IFREG, "file"), (stat.S_IFDIR, "directory"), (stat.S_IFLNK, "link"))
    return dict(kinds).get(stat.S_IFMT(mode), "other")
