"""`Streams`: a session's lines as frames of a WebSocket, and its events as server-sent events."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from zot_agent.serve.access import PROTOCOL
from zot_agent.serve.feed import FeedFollower
from zot_agent.serve.guard import error_response
from zot_agent.serve.http_error import HttpError
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.session import ServedSession
from zot_agent.serve.sessions import Sessions
from zot_core.aio import spawn
from zot_provider.json_text import dump

_CLOSED, _NOT_TEXT, _SLOW = 1001, 1003, 1013
"""Close codes of a WebSocket (RFC 6455): the session is closed, a frame was not text, the client is too slow."""


class Streams:
    """Serves WebSockets and event streams, at most `limits.streams` together."""

    def __init__(self, sessions: Sessions, limits: ServeLimits) -> None:
        self._sessions, self.limits = sessions, limits
        self._count = 0

    @contextmanager
    def following(self, id: str, after: int | None = None) -> Iterator[tuple[ServedSession, FeedFollower]]:
        """Follow a session while the context is entered. Raises `HttpError`."""
        session = self._sessions.find(id)
        if self._count >= self.limits.streams:
            raise HttpError(429, f"{self.limits.streams} streams are open already; close one")
        follower = session.follow(after)
        self._count += 1
        try:
            yield session, follower
        finally:
            self._count -= 1
            session.leave(follower)

    async def socket(self, socket: WebSocket) -> None:
        """Serve a WebSocket, one line a frame, until either side closes: commands in, responses and events out."""
        try:
            with self.following(socket.path_params["id"]) as (session, follower):
                await socket.accept(PROTOCOL if PROTOCOL in socket.scope["subprotocols"] else None)
                await _SocketExchange(socket, session, follower).run()
        except HttpError as error:
            await socket.send_denial_response(error_response(error))

    async def events(self, request: Request) -> Response:
        """Serve the events, starting after `Last-Event-ID` if that header is set. Raises `HttpError`."""
        after = request.headers.get("last-event-id", "")
        if after and not (after.isascii() and after.isdigit() and len(after) < 16):
            raise HttpError(400, "Last-Event-ID is not the number of an event")
        return _EventStream(self, request.path_params["id"], int(after) if after else None)


class _SocketExchange:
    """Reads and writes one WebSocket."""

    def __init__(self, socket: WebSocket, session: ServedSession, follower: FeedFollower) -> None:
        self._socket, self._session, self._follower = socket, session, follower
        self._code = _CLOSED

    async def run(self) -> None:
        """Return when the connection is closed; with a stuck client that may take a while."""
        reading, writing = spawn(self._read(), "read a WebSocket"), spawn(self._write(), "write a WebSocket")
        try:
            await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
            self._follower.end()
            await asyncio.wait([writing])
        finally:
            for task in (reading, writing):
                task.cancel()
            await asyncio.wait([reading, writing])

    async def _read(self) -> None:
        while not self._follower.over:
            message = await self._socket.receive()
            if message["type"] != "websocket.receive":
                return
            if message.get("text") is None:
                self._code = _NOT_TEXT
                return
            self._session.receive(message["text"].encode("utf-8", "replace"), self._follower)
            await self._session.feed.room_for(self._follower)

    async def _write(self) -> None:
        with suppress(WebSocketDisconnect):
            while (batch := await self._follower.take()) is not None:
                for _, line in batch:
                    if not self._follower.over:
                        await self._socket.send({"type": "websocket.send", "text": line})
            code = _SLOW if self._follower.slow else self._code
            await self._socket.send({"type": "websocket.close", "code": code, "reason": self._follower.slow})


class _EventStream(Response):
    """The events of a session as server-sent events (HTML standard, section 9.2)."""

    def __init__(self, streams: Streams, id: str, after: int | None) -> None:
        super().__init__()
        self._streams, self._id, self._after = streams, id, after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request; see the ASGI specification."""
        try:
            with self._streams.following(self._id, self._after) as (session, follower):
                feed, after = session.feed, self._after
                missed = "" if after is None or feed.has(after) else _missed(after, feed.last)
                watching = spawn(_end_on_disconnect(receive, follower), "watch for the end of a stream")
                try:
                    await self._write(send, follower, missed)
                finally:
                    watching.cancel()
        except HttpError as error:
            await error_response(error)(scope, receive, send)

    async def _write(self, send: Send, follower: FeedFollower, first: str) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        text = ": events\n\n" + first
        while True:
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
            batch = await follower.take(self._streams.limits.heartbeat_seconds)
            if batch is None:
                break
            text = "".join(f"id: {number}\ndata: {line}\n\n" for number, line in batch) or ": still here\n\n"
        last = f"event: end\ndata: {dump({'reason': follower.slow or 'the session is closed'})}\n\n"
        await send({"type": "http.response.body", "body": last.encode()})


def _missed(after: int, last: int) -> str:
    """Return the event that says that some events are no longer kept."""
    return f"event: missed\ndata: {dump({'after': after, 'last': last})}\n\n"


async def _end_on_disconnect(receive: Receive, follower: FeedFollower) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    follower.end()
