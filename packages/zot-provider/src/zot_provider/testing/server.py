"""`ScriptedServer`: a real HTTP server on the loopback interface that plays back turns you wrote, over three wires.

It runs in a thread, so that synchronous tests, asyncio tests and tests of other processes can use it alike:

```python
with ScriptedServer([Turn("hello"), Turn(fault=Fault(status=429))]) as server:
    run(["zot", "-p", "hi", "--base-url", server.base_url("openai-chat")])
    assert server.requests[0].body["messages"][-1]["content"] == "hi"
```
"""

import socket
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from zot_provider.testing.handler import ConnectionHandler
from zot_provider.testing.received import Received
from zot_provider.testing.turn import Answer, Script, Turn
from zot_provider.wire import load_wire


class ScriptedServer:
    """A model server that says what you wrote.

    It answers `POST /v1/messages`, `/v1/chat/completions` and `/v1/responses` with the next turn of the script,
    `GET /v1/models` with `models`, anything else with status 404. A request that the real API would refuse for its form
    gets status 400; with `key` given, one that does not carry it gets 401. When the script is over, the answer is a 500
    that says so, unless `repeat` lets it begin anew. `requests` holds what was asked, in the order of arrival.
    """

    def __init__(
        self,
        answers: Iterable[Answer] = (),
        *,
        key: str | None = None,
        repeat: bool = False,
        models: Iterable[str] = ("scripted",),
    ) -> None:
        self.requests: list[Received] = []
        self.key = key
        self.models = list(models)
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
        """Stop. An exception raised by an answer of the script is raised again here, unless the test has failed."""
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
        """What the provider's own SDK for this wire takes as its base URL. KeyError for an unknown wire."""
        return self.url + ("/v1" if load_wire(wire).version_in_base else "")

    def add(self, *answers: Answer) -> None:
        """Write more turns."""
        self._script.add(*answers)

    def wait_for(self, count: int, timeout: float = 30.0) -> list[Received]:
        """The requests, once there are `count` of them. TimeoutError after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, timeout):
                raise TimeoutError(f"{len(self.requests)} requests came, not {count}")
            return list(self.requests)

    def wait_idle(self, timeout: float = 30.0) -> None:
        """Wait until no answer is being written: only then is `closed_early` sure. TimeoutError after `timeout` s."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._answering, timeout):
                raise TimeoutError(f"{self._answering} answers are still being written")

    # For the handler.

    def begin(self, request: Received) -> None:
        """A request came, and its answer begins."""
        with self._changed:
            self.requests.append(request)
            self._answering += 1
            self._changed.notify_all()

    def end(self, request: Received, *, closed_early: bool) -> None:
        """The answer is complete, or as complete as it will be."""
        with self._changed:
            request.closed_early = closed_early
            self._answering -= 1
            self._changed.notify_all()

    def next_turn(self, request: Received) -> Turn:
        """The turn to answer with; raises `ScriptOver`."""
        return self._script.next(request)


class _Listener(ThreadingHTTPServer):
    """The sockets of a scripted server, all of which `stop` closes."""

    daemon_threads = True
    request_queue_size = 512  # the standard library's 5 resets clients that connect all at once

    def __init__(self, server: ScriptedServer) -> None:
        self.scripted = server
        self.stopping = threading.Event()
        self._connections: set[Any] = set()
        self._closed = threading.Condition()
        super().__init__(("127.0.0.1", 0), ConnectionHandler)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._closed:
            if self.stopping.is_set():  # too late: nobody would wake this thread
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
                    connection.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for the next request
            self._closed.wait_for(lambda: not self._connections, 5.0)
        self.server_close()
