"""`ConnectionHandler`: answers the HTTP requests of one connection to a `ScriptedServer`."""

import gzip
import json
import select
import socket
import time
import zlib
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any, Protocol

from zot_provider.testing.endpoints import UNKNOWN_ENDPOINT, find_endpoint, missing_part, model_list
from zot_provider.testing.received import Received
from zot_provider.testing.render import render
from zot_provider.testing.render_whole import render_whole
from zot_provider.testing.turn import Delivery, Fault, ScriptOver, Turn


class HandlerBackend(Protocol):
    """The part of the server that a handler uses: the script and the record of requests."""

    key: str | None
    models: list[str]
    paths: Mapping[str, str]

    def begin(self, request: Received) -> None: ...
    def end(self, request: Received, *, closed_early: bool) -> None: ...
    def next_turn(self, request: Received) -> Turn: ...


class _ClientGone(ConnectionError):
    """The client closed the connection, or the server is stopping."""


class ConnectionHandler(BaseHTTPRequestHandler):
    """Reads requests, takes turns from the script, and writes answers as each turn specifies."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def _backend(self) -> HandlerBackend:
        backend: HandlerBackend = self.server.scripted  # type: ignore[attr-defined]  # the listener of a ScriptedServer
        return backend

    @property
    def _stopping(self) -> Event:
        stopping: Event = self.server.stopping  # type: ignore[attr-defined]  # the listener of a ScriptedServer
        return stopping

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal belongs to the tests."""

    def do_GET(self) -> None:
        """Answer with the list of models, in a shape for all wires."""
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length") or 0)))

    def _answer(self, raw: bytes) -> None:
        path = self.path.split("?")[0]
        self._route = f"{self.command} {path}"
        self._endpoint = find_endpoint(f"{self.command} {self._backend.paths.get(path, path)}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.command, self.path, headers, wire=self._endpoint.wire)
        try:
            request.body = json.loads(raw) if raw else None
        except ValueError:
            request.body = None
        closed_early = False
        self._backend.begin(request)
        try:
            self._respond(request)
        except ConnectionError:
            closed_early = True
            self.close_connection = True
        finally:
            self._backend.end(request, closed_early=closed_early)

    def _respond(self, request: Received) -> None:
        endpoint, key = self._endpoint, self._backend.key
        if endpoint is UNKNOWN_ENDPOINT:
            self._refuse(404, f"there is nothing at {self._route}")
        elif key is not None and endpoint.key(request.headers) != key:
            self._refuse(401, "the API key is missing or wrong")
        elif not endpoint.wire:
            self._send_json(200, model_list(self._backend.models))
        elif lack := missing_part(endpoint, request.headers, request.body):
            self._refuse(400, f"the request lacks {lack}")
        else:
            try:
                turn = self._backend.next_turn(request)
            except ScriptOver as over:
                self._refuse(500, str(over), {"x-should-retry": "false"})
            else:
                self._play(turn)

    def _play(self, turn: Turn) -> None:
        fault = turn.fault
        self._wait(fault.stall)
        if fault.status and not fault.body:
            status = fault.status
            phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "failure"
            self._send_json(status, self._endpoint.error(status, phrase), fault.headers)
        elif fault.status:
            self._send_body(fault)
        elif not turn.delivery.stream:
            body = render_whole(turn, self._endpoint.wire)
            self._send(200, body, {"content-type": "application/json"} | fault.headers)
        else:
            self._stream(render(turn, self._endpoint.wire), turn)

    def _stream(self, events: list[bytes], turn: Turn) -> None:
        fault, delivery = turn.fault, turn.delivery
        broken = bool(fault.pause or fault.garbage or fault.cut or fault.end)
        if not delivery.end:
            events = events[:-1]
        if delivery.gzip:
            events = list(map(gzip.compress, events)) if delivery.members else _packed(events)
        self.send_response(200)
        headers = {
            "content-type": self._endpoint.content_type,
            **({"content-encoding": "gzip"} if delivery.gzip else {}),
        }
        for name, value in (headers | fault.headers).items():
            self.send_header(name, value)
        if delivery.framing == "chunked":
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        before = events[: fault.after] if broken else events
        self._write_events(before, turn.delay, delivery)
        if broken:
            self._wait(fault.pause)
            if fault.garbage:
                self._write(fault.garbage, delivery)
            if fault.cut:
                self.close_connection = True
                return
            if not fault.end:
                self._write_events(events[fault.after :], turn.delay, delivery)
        self._hold(delivery)
        if delivery.framing == "chunked":
            self.wfile.write(b"0\r\n\r\n")

    def _hold(self, delivery: Delivery) -> None:
        """Leave the body open for a while."""
        if not delivery.comments:
            self._wait(delivery.hold)
            return
        end = time.monotonic() + delivery.hold
        while time.monotonic() < end:
            self._write(b": keepalive\n\n", delivery)
            self._wait(0.02)

    def _write_events(self, events: list[bytes], delay: float, delivery: Delivery) -> None:
        size = {"event": 1, "byte": 1, "batch": delivery.batch, "whole": max(len(events), 1)}[delivery.writes]
        for start in range(0, len(events), size):
            self._wait(delay)
            self._write(b"".join(events[start : start + size]), delivery)

    def _write(self, data: bytes, delivery: Delivery) -> None:
        if delivery.framing == "chunked":
            data = b"%x\r\n%b\r\n" % (len(data), data)
        if delivery.writes == "byte":
            for byte in data:
                self.wfile.write(bytes([byte]))
        else:
            self.wfile.write(data)

    def _wait(self, seconds: float) -> None:
        """Wait, and raise `_ClientGone` as soon as the client has closed the connection."""
        end = time.monotonic() + seconds
        while True:
            left = max(end - time.monotonic(), 0.0)
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.05))
            if self._stopping.is_set() or (readable and not self.connection.recv(1, socket.MSG_PEEK)):
                raise _ClientGone
            if readable:
                self._stopping.wait(min(left, 0.05))
            if not left:
                return

    def _refuse(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self._send_json(status, self._endpoint.error(status, message), headers)

    def _send_body(self, fault: Fault) -> None:
        if isinstance(fault.body, dict):
            self._send_json(fault.status, fault.body, fault.headers)
        else:
            kind = "text/html" if fault.body.lstrip().startswith("<") else "text/plain"
            self._send(fault.status, fault.body.encode(), {"content-type": kind} | fault.headers)

    def _send_json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), {"content-type": "application/json"} | (headers or {}))

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _packed(events: list[bytes]) -> list[bytes]:
    """Return the events as pieces of one gzip stream, each of which can be unpacked when it comes."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    pieces = [packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH) for event in events]
    return [*pieces[:-1], pieces[-1] + packer.flush()] if pieces else []
