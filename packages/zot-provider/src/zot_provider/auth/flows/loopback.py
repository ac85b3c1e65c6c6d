"""`LoopbackServer`: a small HTTP server on 127.0.0.1, for the pages and callbacks of one sign-in."""

import asyncio
import errno
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urlsplit

from zot_provider.errors import ConfigError
from zot_provider.record import Record, field

_HEAD_BYTES = 32 << 10
_BODY_BYTES = 64 << 10
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class LoopbackRequest(Record):
    """A request. Names of headers are in lower case; `target` is the path with the query."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path without the query."""
        return self.target.partition("?")[0]

    @property
    def cookies(self) -> dict[str, str]:
        pairs = (each.strip().partition("=")[::2] for each in self.headers.get("cookie", "").split(";"))
        return dict(pairs)


class LoopbackAnswer(Record):
    """An answer: a page, unless `headers` say otherwise."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)


class LoopbackServerLimits(Record):
    """`request`: seconds for a request to arrive, and for its answer to be taken. `connections`: the most at a time.
    `closing`: seconds for the last answer to be sent."""

    request: float = 10.0
    connections: int = 32
    closing: float = 2.0


class LoopbackServer:
    """Answers requests of browsers on this machine until it is closed.

    Requests for another host are refused: a page of another site can reach 127.0.0.1 under a name of its own.
    """

    def __init__(
        self, handle: Callable[[LoopbackRequest], Awaitable[LoopbackAnswer]], limits: LoopbackServerLimits | None = None
    ) -> None:
        self._handle = handle
        self._limits = limits or LoopbackServerLimits()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self.port = 0

    async def open(self, ports: Sequence[int] = (0,)) -> None:
        """Listen on the first of these ports that is free; 0 is any. Raises `ConfigError` if none is."""
        for port in ports:
            try:
                self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=_HEAD_BYTES)
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise ConfigError(f"cannot listen on 127.0.0.1: {error.strerror}") from error
            else:
                self.port = self._server.sockets[0].getsockname()[1]
                return
        names = " and ".join(map(str, ports))
        raise ConfigError(
            f"another program listens on port {names} of this machine, perhaps another sign-in; end it and try again"
        )

    async def close(self) -> None:
        """Stop listening, wait a moment for answers that are being sent, and close all connections."""
        if self._server is not None:
            self._server.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.closing):
                await self._idle.wait()
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._writers) >= self._limits.connections:
            writer.close()
            return
        self._writers.add(writer)
        self._idle.clear()
        with suppress(OSError, TimeoutError, EOFError, asyncio.LimitOverrunError, ValueError):
            async with asyncio.timeout(self._limits.request):
                request = await _read(reader)
            answer = await self._answer(request)
            async with asyncio.timeout(self._limits.request):
                writer.write(_bytes(answer))
                await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        self._writers.discard(writer)
        if not self._writers:
            self._idle.set()

    async def _answer(self, request: LoopbackRequest) -> LoopbackAnswer:
        if request.headers.get("host") not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return LoopbackAnswer(421, "This address belongs to zot.")
        return await self._handle(request)


async def _read(reader: asyncio.StreamReader) -> LoopbackRequest:
    """Read a request. Raises ValueError for anything else, and EOFError."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, version = head[0].split(" ")
    headers: dict[str, str] = {}
    for line in filter(None, head[1:]):
        name, colon, value = line.partition(":")
        if not colon or not _NAME.fullmatch(name) or name.lower() in headers:
            raise ValueError("not a header, or twice")
        headers[name.lower()] = value.strip()
    length = headers.get("content-length", "0")
    if not version.startswith("HTTP/1.") or not target.startswith("/") or not length.isdecimal():
        raise ValueError("not a request for this server")
    urlsplit(target)  # raises ValueError
    if int(length) > _BODY_BYTES or "transfer-encoding" in headers:
        raise ValueError("too large")
    return LoopbackRequest(method, target, headers, await reader.readexactly(int(length)))


def _bytes(answer: LoopbackAnswer) -> bytes:
    body = answer.body.encode()
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-length": str(len(body)),
        "connection": "close",
        "cache-control": "no-store",
        "content-security-policy": _POLICY,
        "referrer-policy": "same-origin",  # without a referrer, forms send no origin
        "x-content-type-options": "nosniff",
        **answer.headers,
    }
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
"""No scripts, nothing from elsewhere, in no frame. Styles are in the page, which quotes everything from outside."""
