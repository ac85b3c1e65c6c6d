"""A model server for benchmarks: answers from bytes prepared before the clock starts, over raw sockets.

It speaks just enough HTTP for one request at a time, so that what is measured is the client.
"""

import json
import socket
import ssl
import threading
import time
from contextlib import suppress

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"
"""The answer to a request without a body: these servers have no list of models."""


class ModelServer:
    """Answers every request with `deltas` text deltas of Chat Completions, each an HTTP chunk of its own.

    With `burst` the whole answer is one write, else each delta is. With `context` it speaks TLS. `complete_at` holds
    the time (`time.monotonic`) at which the last byte of each request's body had come.
    """

    def __init__(self, deltas: int, *, burst: bool = True, context: ssl.SSLContext | None = None) -> None:
        self.deltas = deltas
        self._context = context
        events: list[dict[str, object]] = [
            {"choices": [{"index": 0, "delta": {"content": f" word{n}"}}]} for n in range(deltas)
        ]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        events.append({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": deltas}})
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
        data = [b"data: " + json.dumps(head | event).encode() + b"\n\n" for event in events] + [b"data: [DONE]\n\n"]
        chunks = [b"%x\r\n%s\r\n" % (len(each), each) for each in data] + [b"0\r\n\r\n"]
        self._writes = [b"".join(chunks)] if burst else chunks
        self.complete_at: list[float] = []
        self.bodies: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http{'s' if self._context else ''}://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            with connection:
                body = self._body(connection)
                if not body:
                    continue
                self.complete_at.append(time.monotonic())
                self.bodies.append(body)
                with suppress(ConnectionError):  # who has seen enough goes
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                    )
                    for write in self._writes:
                        connection.sendall(write)

    @staticmethod
    def _body(connection: socket.socket) -> bytes:
        """Receive a request's body. One without, which asks for the list of models, is answered."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 16)
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0
        )
        if not length:
            connection.sendall(NOT_FOUND)
        while len(body) < length:
            body += connection.recv(1 << 16)
        return body
