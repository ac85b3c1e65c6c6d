"""`ScriptedServer`: a real HTTP server on the loopback interface that plays back scripted turns on all wires.

It runs in a thread, so that synchronous tests, asyncio tests and tests of other processes can use it:

```python
with ScriptedServer([Turn("hello"), Turn(fault=Fault(status=429))]) as server:
    run(["zot", "-p", "hi", "--base-url", server.base_url("openai-chat")])
    assert server.requests[0].body["messages"][-1]["content"] == "hi"
```
"""

import socket
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from zot_provider.testing.handler import ConnectionHandler
from zot_provider.testing.received import Received
from zot_provider.testing.turn import Answer, Script, Turn
from zot_provider.wire import load_wire


class ScriptedServer:
    """A model server that answers with scripted turns.

    It answers a request to the endpoint of a wire (`ENDPOINTS`) with the next turn of the script, `GET /v1/models` with
    `models`, other paths with status 404. A request that lacks a field or header that the real
    API requires gets status 400; with `key` given, a request without it gets 401. When the script is over, the answer
    is a 500 with that message, unless `repeat` restarts the script. `requests` holds the requests in order of arrival.
    """

    def __init__(
        self,
        answers: Iterable[Answer] = (),
        *,
        key: str | None = None,
        repeat: bool = False,
        models: Iterable[str] = ("scripted",),
        paths: Mapping[str, str] | None = None,
    ) -> None:
        """`paths` has further paths, and the path whose endpoint answers there: providers have base URLs of their
        own."""
        self.requests: list[Received] = []
        self.key = key
        self.models = list(models)
        self.paths: Mapping[str, str] = paths or {}
        self.errors: list[BaseException] = []
        self._script = Script(answers, repeat=repeat)
        self._changed = threading.Condition()
        self._answering = 0
        self._listener: _Listener | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "ScriptedServer":
        self._listener = _Listener(self)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,), name="scripted-server")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop. Raises the first exception of an answer of the script, unless the test has failed already."""
        assert self._listener is not None
        assert self._thread is not None
        self._listener.stop()
        self._thread.join()
        if self.errors and error is None:
            raise self.errors[0]

    @property
    def url(self) -> str:
        """The origin, `http://127.0.0.1:PORT`."""
        assert self._listener is not None, "the server runs inside `with` only"
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    def base_url(self, wire: str) -> str:
        """Return the base URL for this wire, as for a provider's own SDK. Raises KeyError for an unknown wire."""
        return self.url + load_wire(wire).version

    def add(self, *answers: Answer) -> None:
        self._script.add(*answers)

    def wait_for(self, count: int, timeout: float = 120.0) -> list[Received]:
        """Wait for `count` requests and return all. Raises TimeoutError after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, timeout):
                raise TimeoutError(f"{len(self.requests)} requests came, not {count}")
            return list(self.requests)

    def wait_idle(self, timeout: float = 120.0) -> None:
        """Wait until no answer is being written: then `closed_early` is final. TimeoutError after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._answering, timeout):
                raise TimeoutError(f"{self._answering} answers are still being written")

    # Called by the handler.

    def begin(self, request: Received) -> None:
        """Record a request, whose answer begins."""
        with self._changed:
            self.requests.append(request)
            self._answering += 1
            self._changed.notify_all()

    def end(self, request: Received, *, closed_early: bool) -> None:
        """Record the end of an answer, complete or not."""
        with self._changed:
            request.closed_early = closed_early
            self._answering -= 1
            self._changed.notify_all()

    def next_turn(self, request: Received) -> Turn:
        """Return the turn to answer with. Raises `ScriptOver`."""
        return self._script.next(request)


class _Listener(ThreadingHTTPServer):
    """The sockets of a scripted server; `stop` closes all of them."""

    daemon_threads = True
    request_queue_size = 512  # with the standard library's 5, clients that connect at the same time are reset

    def __init__(self, server: ScriptedServer) -> None:
        self.scripted = server
        self.stopping = threading.Event()
        self._connections: set[Any] = set()
        self._closed = threading.Condition()
        super().__init__(("127.0.0.1", 0), ConnectionHandler)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._closed:
            if self.stopping.is_set():  # `stop` would not wake this thread
                self.shutdown_request(request)
                return
            self._connections.add(request)
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._closed:
                self._connections.discard(request)
                self._closed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError):
            self.scripted.errors.append(error)

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        with self._closed:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)  # wakes threads that wait for the next request
            self._closed.wait_for(lambda: not self._connections, 60.0)
        self.server_close()
