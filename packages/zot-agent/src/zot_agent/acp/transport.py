"""`StdioTransport`: JSON-RPC messages, one a line, on descriptors that never block the loop."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias

from zot_agent.lines.oversized import id_of
from zot_agent.lines.reader import LineReader
from zot_agent.operations.fields import FailureCode
from zot_agent.rpc.limits import RpcLimits
from zot_agent.rpc.writer import ClientWriter
from zot_ext.protocol.splitter import Oversized
from zot_provider.json_text import dump, line_text

Json: TypeAlias = dict[str, Any]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


class StdioTransport:
    """A transport of the package `acp`. Messages of `send` and `put` go out in the order of the calls.

    It ends when the client closes its side, disconnects or stops reading, and with `end`. `disconnected` is called with
    the reason, which is empty unless the client has stopped reading. A line that is not a message gets an error.
    """

    def __init__(self, limits: RpcLimits, disconnected: Callable[[str], None], *, source: int, target: int) -> None:
        self._limits = limits
        self._messages: asyncio.Queue[Json | None] = asyncio.Queue()
        self._on_disconnect = disconnected
        self._writer = ClientWriter(limits, self._disconnected, moved=self._resume_reading, descriptor=target)
        self._reader = LineReader(source, limits.line_bytes, self._received, self.end)

    def put(self, message: Json) -> None:
        self._writer.publish(line_text(dump(message)))

    async def send(self, message: Json) -> None:
        """Queue a message; the same as `put`."""
        self.put(message)

    async def receive(self) -> Json | None:
        """Return the next message, None after the last one."""
        return await self._messages.get()

    async def room(self) -> None:
        """Return once the client has read most of what was sent."""
        await self._writer.room()

    def end(self) -> None:
        self._reader.close()
        self._messages.put_nowait(None)

    async def drain(self) -> None:
        """Return once everything is written, or the time for that is over."""
        self._writer.set_stall_limit(self._limits.signal_flush_seconds)
        await self._writer.drain()

    async def close(self) -> None:
        self._reader.close()
        self._writer.close()

    def _disconnected(self, why: str) -> None:
        self._on_disconnect(why)
        self.end()

    def _resume_reading(self) -> None:
        if self._writer.waiting < self._limits.read_pause_bytes:
            self._reader.resume()

    def _received(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            text = f"the message is longer than {line.limit} bytes and was passed over"
            id = id_of(line)
            self._refuse(INVALID_REQUEST, text, json.loads(id) if id else None, why="too_large")
        elif line.strip():
            self._parse(line)
        if self._writer.waiting >= self._limits.read_pause_bytes:
            self._reader.pause()

    def _parse(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._refuse(PARSE_ERROR, f"the line is not JSON: {error}")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            self._refuse(INVALID_REQUEST, "a message must be a JSON object, and its method a string")
        elif not isinstance(message.get("id"), str | int | None):
            self._refuse(INVALID_REQUEST, "the id of a message must be a string or a number")
        elif not {"method", "result", "error"} & message.keys():
            self._refuse(
                INVALID_REQUEST, "a request needs a method, a response a result or an error", message.get("id")
            )
        elif not isinstance(message.get("error"), dict | None):
            self._refuse(INVALID_REQUEST, "the error of a message must be an object")
        else:
            self._messages.put_nowait(message)

    def _refuse(self, code: int, text: str, id: str | int | None = None, *, why: FailureCode = "invalid") -> None:
        """Answer an invalid message. JSON-RPC uses null for an id that is unknown."""
        error = {"code": code, "message": " ".join(text.split()), "data": {"code": why}}
        self.put({"jsonrpc": "2.0", "id": id, "error": error})
