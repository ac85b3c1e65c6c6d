"""`StdioTransport`: JSON-RPC messages, a line each, on descriptors that are never waited for."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias

from zot_agent.lines.reader import LineReader
from zot_agent.rpc.limits import RpcLimits
from zot_agent.rpc.writer import ClientWriter
from zot_ext.protocol.splitter import Oversized
from zot_provider.json_text import dump, escape_line_ends

Json: TypeAlias = dict[str, Any]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


class StdioTransport:
    """A transport of the package `acp`: what is sent goes out in order, also with what `put` sends at once.

    It ends when the client closes its side, when it is gone or reads nothing any more (`gone` is told why, with an
    empty text for the former), and with `end`. A line that is no message is answered with an error.
    """

    def __init__(self, limits: RpcLimits, gone: Callable[[str], None], *, source: int, target: int) -> None:
        self._limits = limits
        self._messages: asyncio.Queue[Json | None] = asyncio.Queue()
        self._told_gone = gone
        self._writer = ClientWriter(limits, self._gone, moved=self._read_on, descriptor=target)
        self._reader = LineReader(source, limits.line_bytes, self._take, self.end)

    def put(self, message: Json) -> None:
        """Send a message soon, behind those that were sent before."""
        self._writer.write_text(escape_line_ends(dump(message)))

    async def send(self, message: Json) -> None:
        """As `put`."""
        self.put(message)

    async def receive(self) -> Json | None:
        """The next message, None after the last one."""
        return await self._messages.get()

    async def room(self) -> None:
        """Return once the client has read what was sent, but for a little."""
        await self._writer.room()

    def end(self) -> None:
        """Receive nothing more."""
        self._reader.close()
        self._messages.put_nowait(None)

    async def drain(self) -> None:
        """Return once everything is written, or the client has had its time for that."""
        self._writer.hurry(self._limits.signal_flush_seconds)
        await self._writer.drain()

    async def close(self) -> None:
        """Neither read nor write any more."""
        self._reader.close()
        self._writer.close()

    def _gone(self, why: str) -> None:
        self._told_gone(why)
        self.end()

    def _read_on(self) -> None:
        if self._writer.waiting < self._limits.read_pause_bytes:
            self._reader.resume()

    def _take(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            self._refuse(INVALID_REQUEST, f"the message is longer than {line.limit} bytes and was passed over")
        elif line.strip():
            self._read(line)
        if self._writer.waiting >= self._limits.read_pause_bytes:
            self._reader.pause()

    def _read(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._refuse(PARSE_ERROR, f"the line is no JSON: {error}")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            self._refuse(INVALID_REQUEST, "a message must be a JSON object, and its method a string")
        elif not isinstance(message.get("id"), str | int | None):
            self._refuse(INVALID_REQUEST, "the id of a message must be a string or a number")
        elif not isinstance(message.get("error"), dict | None):
            self._refuse(INVALID_REQUEST, "the error of a message must be an object")
        else:
            self._messages.put_nowait(message)

    def _refuse(self, code: int, text: str) -> None:
        """Answer a message that cannot be told from another: JSON-RPC has null for its id then."""
        self.put({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": " ".join(text.split())}})
