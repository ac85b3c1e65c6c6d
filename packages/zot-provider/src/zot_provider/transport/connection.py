"""HTTP/1.1 over TCP and TLS, on asyncio and httptools (the parser of Node.js).

httpx passes on a response chunk by chunk, at some 50 µs each, and model servers send one chunk for every token. Here
the data of one read of the socket is parsed in C and passed on as one piece, which makes a delta about ten times
cheaper. A connection has one request at a time. Requests through a proxy are left to httpx (see `proxy`).
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import TYPE_CHECKING

import httptools

if TYPE_CHECKING:
    import ssl

_BUFFER = 64 * 1024
_TLS_ALERT = b"\x15\x03"
"""First bytes that a TLS server answers to anything but a handshake: an alert of version 3.x (RFC 8446, 5.1)."""
_MAX_OVERHEAD = 256 * 1024
"""Most bytes that may come without any of the body: of heads, including interim ones, of chunk sizes and trailers."""
_PAUSE_ABOVE = 1 << 20
"""Bytes of unread body above which reading from the socket pauses."""


class BrokenConnection(OSError):
    """The server closed the connection before the answer was complete."""


class NotHttp(OSError):
    """The server sent something other than an HTTP answer, or headers without end."""


class HttpAnswer:
    """An answer while it is parsed: its head, and the part of its body that was not taken yet."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body: list[bytes] = []
        self.waiting = 0
        """Bytes of `body`."""
        self.head_done = self.complete = self.keep = False
        self.error: Exception | None = None
        """Why nothing more comes."""
        self._overhead = 0
        self._framed = False

    # Called by the parser.

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value))
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self._framed = True

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()
        self.head_done = self.status >= 200

    def on_body(self, data: bytes) -> None:
        self.body.append(data)
        self.waiting += len(data)

    def on_message_complete(self) -> None:
        if self.head_done:
            self.complete = True
            self.keep = bool(self._parser.should_keep_alive())  # the parser forgets it once this returns
        else:  # an interim 1xx answer; the real one follows
            self.headers.clear()

    # Called by the connection.

    def feed(self, data: memoryview) -> None:
        """Parse data of the socket; what is wrong with it becomes the `error`."""
        before = self.waiting
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self.error = NotHttp(f"not an HTTP answer ({error})")
        self._overhead = 0 if self.waiting > before else self._overhead + len(data)
        if self._overhead > _MAX_OVERHEAD and self.error is None:
            self.error = NotHttp(f"more than {_MAX_OVERHEAD >> 10} KiB of headers")

    def end(self, exc: Exception | None) -> None:
        if self.head_done and not self._framed and exc is None:
            self.complete = True  # the end of the connection is the end of the body (RFC 9112, 6.3)
        if not self.complete and self.error is None:
            self.error = BrokenConnection(str(exc) if exc else "the server closed the connection")

    def take(self) -> bytes:
        """Return the body since the last call."""
        data = b"".join(self.body) if len(self.body) > 1 else self.body[0]
        self.body.clear()
        self.waiting = 0
        return data


class HttpConnection(asyncio.BufferedProtocol):
    """A connection. After `send`, `head` returns the status and headers, and `chunks` yields the body.

    It has a fixed buffer, because asyncio would allocate 256 KiB for every read, which costs more than parsing a token.
    """

    def __init__(self, *, secure: bool = False) -> None:
        """With `secure` nothing is read before `start_tls`."""
        self._secure = secure
        self._buffer = memoryview(bytearray(_BUFFER))
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._answer = HttpAnswer()

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._secure:
            transport.pause_reading()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        answer = self._answer
        answer.feed(self._buffer[:nbytes])
        if answer.error is not None:
            if not (self._secure or answer.head_done) and self._buffer[:2] == _TLS_ALERT:
                answer.error = NotHttp("the server speaks TLS; use https://")
            self.abort()
        if answer.waiting > _PAUSE_ABOVE and self._transport is not None:
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._answer.end(exc)
        self._stop_timer()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _wait_for_data(self, deadline: float) -> None:
        """Wait for data from the socket. Raises TimeoutError at `deadline`, a time of the event loop.

        All waits for an answer share one timer, which is restarted if it fires too early: `asyncio.timeout` would cost
        as much as reading a token.
        """
        loop = asyncio.get_running_loop()
        self._waiter = waiter = loop.create_future()
        self._deadline = deadline
        if self._timer is None or self._timer.when() > self._deadline:
            self._stop_timer()
            self._timer = loop.call_at(self._deadline, self._on_timer)
        try:
            await waiter
        finally:
            self._waiter = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._waiter is None or self._waiter.done():
            return
        loop = asyncio.get_running_loop()
        if loop.time() >= self._deadline:
            self._waiter.set_exception(TimeoutError())
        else:
            self._timer = loop.call_at(self._deadline, self._on_timer)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # Called by the client.

    @property
    def reusable(self) -> bool:
        """Whether another request may be sent on this connection."""
        alive = self._transport is not None and not self._transport.is_closing() and self._answer.error is None
        return alive and self._answer.complete and self._answer.keep

    async def start_tls(self, context: "ssl.SSLContext", host: str, limit: float) -> None:
        """Shake hands with a server whose certificate must be for `host`. Raises OSError.

        The caller aborts a connection that failed or took longer than `limit` seconds.
        """
        if self._transport is None:
            raise BrokenConnection("the server closed the connection")
        loop = asyncio.get_running_loop()
        try:  # the event loop's own limit, by default 60 s, must not end the handshake before the caller does
            secured = await loop.start_tls(
                self._transport, self, context, server_hostname=host, ssl_handshake_timeout=limit + 1
            )
        except ConnectionError as error:
            raise BrokenConnection("the server closed the connection during the TLS handshake") from error
        if secured is None:
            raise BrokenConnection("the server closed the connection")
        self._transport = secured

    def send(self, data: bytes) -> None:
        """Send a whole request. Raises BrokenConnection if the connection is closed."""
        if self._transport is None:
            raise BrokenConnection("the server closed the connection")
        self._answer = HttpAnswer()
        self._transport.resume_reading()  # an abandoned answer may have left it paused
        self._transport.write(data)

    async def head(self, limit: float) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Return status and headers. Raises TimeoutError if they do not come within `limit` seconds."""
        deadline, answer = asyncio.get_running_loop().time() + limit, self._answer
        while not answer.head_done:
            if answer.error is not None:
                raise answer.error
            await self._wait_for_data(deadline)
        return answer.status, answer.headers

    async def chunks(self, limit: float, coalesce_seconds: float = 0.0) -> AsyncGenerator[bytes, None]:
        """Yield the body; a piece holds all data received. Raises TimeoutError after `limit` seconds without a piece.

        After every piece reading pauses for `coalesce_seconds`.
        """
        loop, answer = asyncio.get_running_loop(), self._answer
        deadline = 0.0
        while True:
            if answer.body:
                deadline = 0.0
                if answer.waiting > _PAUSE_ABOVE:
                    self._resume()
                yield answer.take()
                if coalesce_seconds and not answer.complete and self._transport is not None:
                    self._transport.pause_reading()
                    loop.call_later(coalesce_seconds, self._resume)
            elif answer.complete:
                return
            elif answer.error is not None:
                raise answer.error
            else:
                deadline = deadline or loop.time() + limit
                await self._wait_for_data(deadline)

    def _resume(self) -> None:
        if self._transport is not None:
            self._transport.resume_reading()

    def abort(self) -> None:
        """Close at once, discarding unsent and unread data."""
        if self._transport is not None:
            self._transport.abort()


def request_bytes(method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> bytes:
    """Return a request as bytes (RFC 9112). The headers must include host and length."""
    lines = [method + b" " + target + b" HTTP/1.1", *(name + b": " + value for name, value in headers), b"", body]
    return b"\r\n".join(lines)
