"""`FilteringProxy`: the only way from a sandbox to the network, to hosts that a policy allows.

It speaks HTTP/1.1 to programs inside: tunnels (CONNECT) and plain requests (RFC 9110, 9.3.6; RFC 9112, 3.2.2). Whatever
could be read in two ways is refused. A plain request ends its connection, so that nothing behind it reaches a server
unseen; what a tunnel carries is not seen at all.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from zot_core.aio import spawn
from zot_core.machine.hosts import AddressRefused, canonical_host, read_web_address, split_port
from zot_core.machine.network import NetworkAccess
from zot_provider.record import Record
from zot_provider.transport.proxies import proxy_for
from zot_provider.transport.url import parse_url


class ProxyLimits(Record):
    """Connections at a time; the bytes of a head; seconds for a head to come, for a connection to be made, after which
    a connection without any data is closed, and for which a client may send after a refusal."""

    connections: int = 256
    head_bytes: int = 64 * 1024
    head_seconds: float = 15.0
    connect_seconds: float = 15.0
    idle_seconds: float = 600.0
    linger_seconds: float = 2.0


class Unacceptable(Exception):
    """A request is refused; the text is one line, `status` the status of the answer."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class ProxyRequest(Record):
    """A request: `host` in its canonical form, `headers` as they came, without the host and those about the connection.
    `length` of its body is None for one in chunks."""

    method: str
    host: str
    port: int
    target: str
    headers: list[tuple[str, str]]
    length: int | None


_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([!-~]{1,16384}) HTTP/1\.[01]")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[^\r\n]*)?\r\n")
_OF_CONNECTION = re.compile(
    "host|connection|keep-alive|proxy-connection|proxy-authorization|te|trailer|upgrade", re.IGNORECASE
)
_PIECE = 64 * 1024
_REASONS = {400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway"}


class FilteringProxy:
    """Serves connections. `access` says which hosts are allowed; it may be replaced at any time."""

    def __init__(self, access: NetworkAccess, limits: ProxyLimits | None = None) -> None:
        self.access, self.limits = access, limits or ProxyLimits()
        self._connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end, and close it."""
        self._connections += 1
        try:
            if self._connections > self.limits.connections:
                return
            with suppress(OSError, asyncio.IncompleteReadError):  # either side is gone, or too slow
                await self._serve(reader, writer)
        finally:
            self._connections -= 1
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = read_request(await self._head(reader))
            async with self._connection(request) as (there, back):
                await self._join(request, reader, writer, there, back)
        except Unacceptable as error:
            await self._answer(reader, writer, error.status, str(error))
        except AddressRefused as error:
            await self._answer(reader, writer, 403, str(error))

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        async with asyncio.timeout(self.limits.head_seconds):
            try:
                return await reader.readuntil(b"\r\n\r\n")
            except asyncio.LimitOverrunError as error:
                raise Unacceptable("the head of the request is too long") from error

    @asynccontextmanager
    async def _connection(
        self, request: ProxyRequest
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Connect to the host of a request, through the proxy of the environment if there is one. Raises
        `AddressRefused` and `Unacceptable`."""
        name = f"[{request.host}]" if ":" in request.host else request.host
        scheme = "https" if request.method == "CONNECT" else "http"
        upstream = proxy_for(parse_url(f"{scheme}://{name}:{request.port}/"))
        try:
            async with asyncio.timeout(self.limits.connect_seconds):
                if upstream:
                    self.access.judge(request.host, request.port)
                    streams = await _tunnel(upstream, f"{name}:{request.port}")
                else:
                    found = await self.access.addresses(request.host, request.port)
                    streams = await _connect(found, request.port, self.limits.connect_seconds)
        except TimeoutError as error:
            raise Unacceptable(f"{request.host} does not answer", 502) from error
        except (OSError, asyncio.IncompleteReadError) as error:
            raise Unacceptable(f"cannot connect to {request.host}: {error}", 502) from error
        try:
            yield streams
        finally:
            streams[1].close()

    async def _join(
        self,
        request: ProxyRequest,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        back: asyncio.StreamWriter,
    ) -> None:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self.limits.idle_seconds) as idle:

            def moved() -> None:
                idle.reschedule(loop.time() + self.limits.idle_seconds)

            async def send() -> None:
                async for piece in _all(reader) if request.method == "CONNECT" else _body(reader, request.length):
                    back.write(piece)
                    await back.drain()
                    moved()
                if request.method == "CONNECT":
                    back.write_eof()

            async def receive() -> None:
                async for piece in _all(there):
                    writer.write(piece)
                    await writer.drain()
                    moved()
                writer.write_eof()

            if request.method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                back.write(_forwarded(request))
            sending = spawn(send(), "request of a sandbox")
            try:
                await receive()
                if request.method == "CONNECT":
                    await sending
            finally:
                sending.cancel()
                with suppress(asyncio.CancelledError, Unacceptable, OSError, asyncio.IncompleteReadError):
                    await sending

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int, text: str) -> None:
        """Refuse a request. What still comes is dropped: with unread data, closing would take the answer away."""
        body = f"zot's sandbox: {text}\n".encode("utf-8", "replace")
        head = f"HTTP/1.1 {status} {_REASONS[status]}\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}\r\n"
        writer.write(head.encode() + b"connection: close\r\n\r\n" + body)
        writer.write_eof()
        async with asyncio.timeout(self.limits.linger_seconds):
            while await reader.read(_PIECE):
                pass


def read_request(head: bytes) -> ProxyRequest:
    """Read the head of a request. Raises `Unacceptable`."""
    lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    first = _REQUEST_LINE.fullmatch(lines[0])
    if first is None:
        raise Unacceptable("the first line of the request is not as expected from a client of a proxy")
    headers = []
    for line in lines[1:]:
        found = _HEADER.fullmatch(line)
        if found is None:
            raise Unacceptable("a header of the request is not valid")
        headers.append((found[1], found[2]))
    method, target = first[1], first[2]
    try:
        if method == "CONNECT":
            name, port = split_port(target)
            if not port:
                raise ValueError("the port is missing")
            host, path = canonical_host(name), ""
        else:
            address = read_web_address(target)
            if address.scheme != "http":
                raise ValueError("only http is sent to a proxy as a plain request")
            host, port, path = address.host, address.port, "/" + address.url.split("/", 3)[3]
        _check_host(headers, host, port, default=443 if method == "CONNECT" else 80)
    except ValueError as error:
        raise Unacceptable(f"the request is refused: {error}") from error
    kept = [(name, value) for name, value in headers if not _OF_CONNECTION.fullmatch(name)]
    return ProxyRequest(method, host, port, path, kept, _length(headers))


def _check_host(headers: Sequence[tuple[str, str]], host: str, port: int, default: int) -> None:
    """Raise ValueError if the server would read another host than the judged one."""
    named = [value for name, value in headers if name.lower() == "host"]
    if len(named) > 1:
        raise ValueError("it has several hosts")
    for value in named:
        name, own = split_port(value, default)
        if canonical_host(name) != host or own not in (port, default):
            raise ValueError("its header `host` names another host")


def _length(headers: Sequence[tuple[str, str]]) -> int | None:
    """Return the length of a body, None for chunks (RFC 9112, 6). Raises `Unacceptable` if it is not clear."""
    lengths = [value for name, value in headers if name.lower() == "content-length"]
    codings = [value.lower() for name, value in headers if name.lower() == "transfer-encoding"]
    if codings:
        if lengths or codings != ["chunked"]:
            raise Unacceptable("the length of the request's body is not clear")
        return None
    if not lengths:
        return 0
    if len(lengths) > 1 or not (lengths[0].isascii() and lengths[0].isdecimal() and len(lengths[0]) < 16):
        raise Unacceptable("the length of the request's body is not clear")
    return int(lengths[0])


def _forwarded(request: ProxyRequest) -> bytes:
    name = f"[{request.host}]" if ":" in request.host else request.host
    place = name if request.port == 80 else f"{name}:{request.port}"
    lines = [f"{name}: {value}" for name, value in [("Host", place), ("Connection", "close"), *request.headers]]
    return "\r\n".join([f"{request.method} {request.target} HTTP/1.1", *lines, "", ""]).encode("latin-1")


async def _all(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while piece := await reader.read(_PIECE):
        yield piece


async def _body(reader: asyncio.StreamReader, length: int | None) -> AsyncIterator[bytes]:
    """Yield a body and nothing behind it."""
    if length is not None:
        async for piece in _exactly(reader, length):
            yield piece
        return
    size = -1
    while size:
        line = await reader.readuntil(b"\r\n")
        found = _CHUNK.fullmatch(line)
        if found is None:
            raise Unacceptable("the request's body is not valid")
        size = int(found[1], 16)
        yield b"%x\r\n" % size
        async for piece in _exactly(reader, size):
            yield piece
        if await reader.readexactly(2) != b"\r\n":  # also no headers behind the last chunk
            raise Unacceptable("the request's body is not valid")
        yield b"\r\n"


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    while size > 0:
        piece = await reader.readexactly(min(size, _PIECE))
        size -= len(piece)
        yield piece


async def _connect(
    addresses: Sequence[str], port: int, limit: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that answers in its share of `limit` seconds. Raises OSError."""
    failed = OSError("it has no address")
    for address in addresses:
        try:
            async with asyncio.timeout(limit / len(addresses)):
                return await asyncio.open_connection(address, port)
        except OSError as error:
            failed = error if str(error) else OSError("it does not answer")
    raise failed


async def _tunnel(proxy: str, authority: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Ask a proxy of the environment for a tunnel. Raises OSError."""
    address = parse_url(proxy)
    if address.secure:
        raise OSError("a proxy of the environment is spoken to in http, not in https")
    reader, writer = await asyncio.open_connection(address.host, address.port)
    try:
        lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
        lines += [f"Proxy-Authorization: {address.authorization}"] if address.authorization else []
        writer.write("\r\n".join([*lines, "", ""]).encode())
        first = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n", 1)[0].split()
        if first[1:2] != [b"200"]:
            raise OSError("the proxy of the environment refuses the connection")
    except BaseException:
        writer.close()
        raise
    return reader, writer
