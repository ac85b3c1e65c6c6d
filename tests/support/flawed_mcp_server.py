"""An MCP server with the flaws of servers that people use, each behind a switch. Standard library only.

```text
python flawed_mcp_server.py [--http | --events | --sse] [FLAW ...]
```

Without a transport it speaks over standard input and output; else over HTTP on a port of this machine, which it
prints: streamable HTTP with JSON or with events, or the transport of before 2025. `FLAWS` has the names. Without a
flaw it offers the tool `plain`, which answers `called plain`, a prompt and a resource.
"""
# Longer than 400 lines: it runs as a program of one file.

import json
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FLAWS = {
    # Lists
    "templates-refused": "`resources/templates/list` is not known, as in servers of the Python package before 1.2",
    "prompts-fail": "`prompts/list` fails",
    "resources-hang": "`resources/list` is never answered",
    "many-tools": "1,200 tools, in pages of 100",
    "same-page": "each page of the tools is the first one again",
    # Tools
    "no-type": "a schema without a type",
    "empty-schema": "the schema is `{}`",
    "no-schema": "no schema at all",
    "one-of": "a `oneOf` at the top of a schema",
    "array-schema": "the arguments are a list",
    "deep-schema": "a schema of 400 objects within each other",
    "nameless": "a tool without a name",
    "odd-fields": "unknown fields, and known ones with another type",
    "same-names": "two tools whose names differ in a dot",
    "task-required": "a tool that only runs as a task",
    # Who it is
    "no-version": "`serverInfo` without a version",
    "other-protocol": "it speaks a version of the protocol that nobody knows",
    "no-server-info": "no `serverInfo`",
    "no-capabilities": "no `capabilities`",
    # Answers
    "unknown-content": "a part of an unknown type, and one without its fields",
    "bad-image": "images that are not base64, and without a type",
    "svg-image": "an image of a type that models do not take, beside a text",
    "blob-image": "an image as the content of a resource",
    "batch": "the answer is in a list with a notification",
    "no-structured": "a schema for answers, and an answer without `structuredContent`",
    "wrong-structured": "`structuredContent` that does not fit the schema",
    "odd-prompt": "messages of a prompt with a text as content, and another role",
    "odd-resource": "contents of a resource without an address",
    "lone-surrogate": "half of a surrogate pair in a text",
    "deep-structured": "`structuredContent` of 400 lists within each other",
    "not-alone": "colours and a prompt before every answer, and another message behind it, on the same line",
    "null-result": "the result is null",
    "text-result": "the result is a text",
    "error-text": "the error is a text",
    "error-code-text": "the code of an error is a text",
    "error-in-data": "only the data of an error say what is wrong",
    "error-without-id": "an error whose id is null",
    "broken-json": "an answer that is no JSON",
    "many-parts": "300,000 parts",
    "bare-result": "a result without `content`",
    "changed-first": "a tool is added, and said to be, before the answer to the call that adds it",
    # Life
    "slow": "it reads nothing until the file `go` is there; before that it writes progress to standard error",
    "exit": "it writes to standard error and ends",
    "ends-on-unknown": "it ends when it is asked what it does not know",
    "silent-on-unknown": "it does not answer what it does not know",
    "noise": "lines on standard output that are no messages",
    "ends-in-call": "it ends during a call",
    # HTTP
    "plain-type": "answers have the type text/plain",
    "accepted": "answers have the status 202",
    "redirects": "the path is another one, with a slash at its end",
    "busy": "calls are refused with status 503 and words",
    "forgets": "a restart: the first session is not known any more when it is used for a call",
    "far-endpoint": "the address for messages is that of another host (sse)",
    # What it asks
    "asks": "the tool asks the person: formats, titles, limits",
}
"""A description of each flaw."""
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
SVG = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="
OBJECT: dict[str, Any] = {"type": "object"}
EXIT = 3
PARTS = 300_000
FORM = {
    "type": "object",
    "required": ["mail", "day"],
    "properties": {
        "mail": {"type": "string", "format": "email", "title": "E-mail"},
        "day": {"type": "string", "format": "date"},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "tags": {
            "type": "array",
            "items": {"anyOf": [{"const": "a", "title": "Alpha"}, {"const": "b", "title": "Beta"}]},
        },
    },
}


class FlawedServer:
    """Answers messages. `flaws` are names in `FLAWS`; another one raises `ValueError`."""

    def __init__(self, flaws: list[str]) -> None:
        if unknown := [each for each in flaws if each not in FLAWS]:
            raise ValueError(f"unknown flaws: {', '.join(unknown)}")
        self.flaws = frozenset(flaws)
        self._grown = False
        self.sessions = 0
        self._asked: Any = None  # the id of the call that waits for the person

    def answer(self, message: dict[str, Any]) -> Iterator[str]:
        """Yield the lines that the server sends for a message."""
        method, id = message.get("method"), message.get("id")
        if method is None:
            if id == "form" and self._asked is not None:
                yield _result(self._asked, _content(json.dumps(message.get("result"), sort_keys=True)))
            return
        if id is None:
            return
        answers = {
            "initialize": self._hello,
            "tools/list": self._tools,
            "tools/call": self._call,
            "prompts/list": self._prompts,
            "prompts/get": self._prompt,
            "resources/list": self._resources,
            "resources/templates/list": self._templates,
            "resources/read": self._read,
        }
        if method in answers:
            yield from answers[method](id, message.get("params") or {})
            return
        if "ends-on-unknown" in self.flaws:
            sys.exit(f"unknown request {method}")
        if "silent-on-unknown" not in self.flaws:
            yield _refusal(id)

    def _hello(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        result = {
            "protocolVersion": "0.9" if "other-protocol" in self.flaws else params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "resources": {}},
            "serverInfo": {"name": "flawed", "version": "1"},
        }
        if "no-version" in self.flaws:
            result["serverInfo"] = {"name": "flawed"}
        for flaw, field in (("no-server-info", "serverInfo"), ("no-capabilities", "capabilities")):
            if flaw in self.flaws:
                del result[field]
        yield _result(id, result)

    def _tools(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        if "many-tools" in self.flaws:
            first = int(params.get("cursor") or 0)
            names = [f"tool{number}" for number in range(first, first + 100)]
            page: dict[str, Any] = {"tools": [{"name": each, "inputSchema": OBJECT} for each in names]}
            yield _result(id, page | ({"nextCursor": str(first + 100)} if first < 1100 else {}))
            return
        tools: list[Any] = [{"name": "plain", "description": "Be plain.", "inputSchema": OBJECT}]
        either = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
        more: dict[str, list[Any]] = {
            "no-type": [{"name": "untyped", "inputSchema": {"properties": {"a": {"description": "x"}}}}],
            "empty-schema": [{"name": "empty", "inputSchema": {}}],
            "no-schema": [{"name": "bare", "description": "d"}],
            "one-of": [{"name": "either", "inputSchema": OBJECT | {"oneOf": either["anyOf"]}}],
            "array-schema": [{"name": "listed", "inputSchema": {"type": "array"}}],
            "deep-schema": [{"name": "deep", "inputSchema": _deep(lambda at: OBJECT | {"properties": {"p": at}})}],
            "nameless": [{"inputSchema": OBJECT}, "no tool"],
            "same-names": [{"name": "a.b", "inputSchema": OBJECT}, {"name": "a_b", "inputSchema": OBJECT}],
            "task-required": [{"name": "job", "inputSchema": OBJECT, "execution": {"taskSupport": "required"}}],
            "odd-fields": [
                {"name": "odd", "inputSchema": OBJECT | {"$schema": 7, "required": None}, "icons": "x", "title": 5,
                 "annotations": {"readOnlyHint": "maybe"}, "outputSchema": "none", "x-new": [1]},
            ],
            "no-structured": [{"name": "out", "inputSchema": OBJECT, "outputSchema": OBJECT}],
            "wrong-structured": [
                {"name": "out", "inputSchema": OBJECT, "outputSchema": OBJECT | {"required": ["v"]}},
            ],
        }  # fmt: skip
        for flaw in sorted(self.flaws):
            tools += more.get(flaw, [])
        if self._grown:
            tools.append({"name": "grown", "inputSchema": OBJECT})
        yield _result(id, {"tools": tools} | ({"nextCursor": "more"} if "same-page" in self.flaws else {}))

    def _call(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        if "ends-in-call" in self.flaws:
            sys.exit("out of memory")
        if "asks" in self.flaws:
            self._asked = id
            asked = {"mode": "form", "message": "Who?", "requestedSchema": FORM}
            yield _line({"id": "form", "method": "elicitation/create", "params": asked})
            return
        if "changed-first" in self.flaws:
            self._grown = True
            yield _line({"method": "notifications/tools/list_changed"})
        text = f"called {params.get('name')}"
        odd = {
            "unknown-content": _content("before", {"type": "chart", "points": [1, 2]}, {"type": "text"}, "bare"),
            "bad-image": _content(
                {"type": "image", "mimeType": "image/png", "data": "???"},
                {"type": "image", "data": DOT},
                {"type": "image", "mimeType": "image/png", "data": f"data:image/png;base64,{DOT[:40]}\n{DOT[40:]}"},
                text,
            ),
            "svg-image": _content(text, {"type": "image", "mimeType": "image/svg+xml", "data": SVG}),
            "blob-image": _content(
                {"type": "resource", "resource": {"uri": "flawed://dot", "mimeType": "image/png", "blob": DOT}}
            ),
            "no-structured": _content('{"v": 1}'),
            "wrong-structured": _content(text) | {"structuredContent": [1]},
            "deep-structured": _content(text) | {"structuredContent": {"v": _deep(lambda inner: [inner])}},
            "many-parts": {"content": [{"type": "text", "text": "x"}] * PARTS},
            "bare-result": {"answer": 42},
        }
        raw = {
            "lone-surrogate": '{"jsonrpc": "2.0", "id": %s, "result": '
            '{"content": [{"type": "text", "text": "x\\ud83dy"}]}}',
            "null-result": '{"jsonrpc": "2.0", "id": %s, "result": null}',
            "text-result": '{"jsonrpc": "2.0", "id": %s, "result": "done"}',
            "error-text": '{"jsonrpc": "2.0", "id": %s, "error": "no disk"}',
            "error-code-text": '{"jsonrpc": "2.0", "id": %s, "error": {"code": "E42", "message": "no disk"}}',
            "error-in-data": '{"jsonrpc": "2.0", "id": %s, "error": {"code": 1, "message": "", "data": "disk full"}}',
            "error-without-id": '{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "cannot parse"}}',
            "broken-json": '{"jsonrpc": "2.0", "id": %s, "result": {"content": [}',
        }
        for flaw, line in raw.items():
            if flaw in self.flaws:
                yield line % json.dumps(id) if "%s" in line else line
                return
        answer = _result(id, next((value for flaw, value in odd.items() if flaw in self.flaws), _content(text)))
        said = _line({"method": "notifications/message", "params": {"level": "info", "data": "hello"}})
        yield f"[{answer},{said}]" if "batch" in self.flaws else answer

    def _prompts(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        if "prompts-fail" in self.flaws:
            yield _line({"id": id, "error": {"code": -32603, "message": "no database"}})
            return
        yield _result(id, {"prompts": [{"name": "ask", "arguments": [{"name": "what", "required": True}]}]})

    def _prompt(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        text = f"Ask {(params.get('arguments') or {}).get('what')}"
        message = {"role": "user", "content": {"type": "text", "text": text}}
        odd = {"role": "system", "content": text}
        yield _result(id, {"messages": [odd if "odd-prompt" in self.flaws else message]})

    def _resources(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        if "resources-hang" not in self.flaws:
            yield _result(id, {"resources": [{"uri": "flawed://one", "name": "one"}]})

    def _templates(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        known = "templates-refused" not in self.flaws
        yield _result(id, {"resourceTemplates": []}) if known else _refusal(id)

    def _read(self, id: Any, params: dict[str, Any]) -> Iterator[str]:
        odd = "odd-resource" in self.flaws
        yield _result(id, {"contents": [{"text": "one"} if odd else {"uri": params["uri"], "text": "one"}]})


def _line(fields: dict[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", **fields})


def _result(id: Any, result: dict[str, Any]) -> str:
    return _line({"id": id, "result": result})


def _refusal(id: Any) -> str:
    return _line({"id": id, "error": {"code": -32601, "message": "Method not found"}})


def _deep(around: Callable[[Any], Any]) -> Any:
    found: Any = OBJECT
    for _ in range(400):
        found = around(found)
    return found


def _content(*parts: Any) -> dict[str, Any]:
    """Return the result of a call; the first text is a part with it, a later one stays a bare text."""
    first = not isinstance(parts[0], str)
    return {"content": [*(parts[:1] if first else [{"type": "text", "text": parts[0]}]), *parts[1:]]}


class _Handler(BaseHTTPRequestHandler):
    """Streamable HTTP, with JSON or events, or the old transport with its stream of events at `/sse`."""

    flawed: FlawedServer
    transport: str
    stream: "queue.Queue[str]"
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self._refused(message):
            return
        if self.transport == "sse":
            if self.path != "/messages":
                self.reply(405, "")
                return
            self.reply(202, "Accepted", "text/plain")
            for line in self.flawed.answer(message):
                self.stream.put(line)
            return
        lines = list(self.flawed.answer(message))
        self.flawed.sessions += message.get("method") == "initialize"
        if not lines:
            self.reply(202, "")
        elif self.transport == "events":
            self.reply(200, "".join(f"event: message\r\ndata: {each}\r\n\r\n" for each in lines), "text/event-stream")
        else:
            kind = "text/plain" if "plain-type" in self.flawed.flaws else "application/json"
            self.reply(202 if "accepted" in self.flawed.flaws else 200, lines[-1], kind)

    def _refused(self, message: dict[str, Any]) -> bool:
        """Refuse a message if a flaw says so."""
        flaws, call = self.flawed.flaws, message.get("method") == "tools/call"
        if "redirects" in flaws and not self.path.endswith("/"):
            self.reply(307, "", location=f"{self.path}/")
        elif "busy" in flaws and call:
            self.reply(503, "the queue is full", "text/plain")
        elif "forgets" in flaws and call and self.headers.get("Mcp-Session-Id") == "1":
            error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
            self.reply(400, _line({"id": None, "error": error}))
        else:
            return False
        return True

    def do_GET(self) -> None:
        if self.transport != "sse" or self.path != "/sse":
            self.reply(405, "")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        event, data = "endpoint", "http://0.0.0.0:1/messages" if "far-endpoint" in self.flawed.flaws else "/messages"
        while True:
            self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
            event, data = "message", self.stream.get()

    def do_DELETE(self) -> None:
        self.reply(405, "")

    def reply(self, status: int, text: str, kind: str = "application/json", location: str = "") -> None:
        """Send a whole answer."""
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        if self.flawed.sessions:
            self.send_header("Mcp-Session-Id", str(self.flawed.sessions))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def serve_http(flawed: FlawedServer, transport: str) -> ThreadingHTTPServer:
    """Return a server on a free port of this machine, which already serves in a thread."""
    members = {"flawed": flawed, "transport": transport, "stream": queue.Queue()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), members))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _serve_lines(flawed: FlawedServer) -> None:
    if "exit" in flawed.flaws:
        sys.stderr.write("cannot open the database\nis it running?\n")
        sys.exit(EXIT)
    if "slow" in flawed.flaws:
        from pathlib import Path

        sys.stderr.write("fetching 12 packages\n")
        sys.stderr.flush()
        while not Path("go").exists():
            time.sleep(0.02)
    if "noise" in flawed.flaws:
        _say('starting up\n{"level": "info"}\n[1, 2]')
    note = _line({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
    form = f"\x1b[32mready>\x1b[0m %s {note}" if "not-alone" in flawed.flaws else "%s"
    for line in sys.stdin:
        for answer in flawed.answer(json.loads(line)):
            _say(form % answer)


def main(words: list[str]) -> None:
    """Serve until the input ends."""
    transports = [each for each in words if each.startswith("--")]
    flawed = FlawedServer([each for each in words if not each.startswith("--")])
    if not transports:
        _serve_lines(flawed)
        return
    _say(str(serve_http(flawed, transports[0].removeprefix("--")).server_address[1]))
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
