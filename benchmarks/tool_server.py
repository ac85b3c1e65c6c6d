"""A model server for benchmarks of whole conversations: one tool again and again, over connections kept open."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable

from model_server import NOT_FOUND

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_RESULT = b'"role":"tool"'


def _stream(*events: dict[str, object]) -> bytes:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 5}}
    data = [b"data: " + json.dumps(head | event).encode() + b"\n\n" for event in (*events, usage)]
    body = b"".join([*data, b"data: [DONE]\n\n"])
    lines = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return lines + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def _choice(delta: dict[str, object], reason: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


class ToolServer:
    """Answers Chat Completions with a call of `tool`, `steps` times in a conversation, then with the text `done`.

    `arguments` makes the arguments of a call from its number, counted from 0. The server keeps no state: how far a
    conversation is shows in the number of tool results in its request. `arrivals` holds, for each request, the time
    (`time.monotonic`) at which its body was complete, and the body's size in bytes.
    """

    def __init__(self, tool: str, arguments: Callable[[int], dict[str, object]], steps: int) -> None:
        self._answers = [self._call(tool, arguments(number), number) for number in range(steps)]
        self._answers.append(_stream(_choice({"content": "done"}), _choice({}, "stop")))
        self.arrivals: list[tuple[float, int]] = []
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            self._loop.create_server(lambda: _Connection(self), "127.0.0.1", 0)
        )
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    @staticmethod
    def _call(tool: str, arguments: dict[str, object], number: int) -> bytes:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        return _stream(_choice({"tool_calls": [call]}), _choice({}, "tool_calls"))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def answer(self, body: bytes) -> bytes:
        """The answer to a request that has come in full."""
        self.arrivals.append((time.monotonic(), len(body)))
        # A conversation longer than the script began elsewhere: the answer ends it.
        return self._answers[min(body.count(_RESULT), len(self._answers) - 1)]


class _Connection(asyncio.Protocol):
    def __init__(self, server: ToolServer) -> None:
        self._server = server
        self._data = bytearray()
        self._end = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._end and (head := self._data.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._data, 0, head)
            if length is None:  # the list of models
                self._transport.write(NOT_FOUND)
                del self._data[: head + 4]
                return
            self._start = head + 4
            self._end = self._start + int(length[1])
        if self._end and len(self._data) >= self._end:
            self._transport.write(self._server.answer(bytes(self._data[self._start :])))
            self._data.clear()
            self._end = 0
