"""The protocols of a connection: uvicorn's, which report to the `ServedConnection` in their `app_state`."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

CONNECTION = "connection"
"""The name of the `ServedConnection` in `app_state`, which is `state` in the scope of a request."""


class HttpProtocol(H11Protocol):
    """HTTP/1.1."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self.app_state[CONNECTION].opened(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self.app_state[CONNECTION].lost()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self.app_state[CONNECTION].must_wait()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self.app_state[CONNECTION].may_write()


class SocketProtocol(WSProtocol):
    """WebSocket, which follows HTTP on a connection.

    While the client has too much to read, nothing is read from it: each ping would add an answer.
    """

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self.app_state[CONNECTION].lost()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self.app_state[CONNECTION].must_wait()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self.app_state[CONNECTION].may_write()
        if not self.read_paused:
            self.transport.resume_reading()
