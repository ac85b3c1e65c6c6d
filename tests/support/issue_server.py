"""`IssueServer`: a server that lists the issues of repositories as GitHub does."""

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


class IssueServer:
    """Lists `issues` by repository (`owner/name`); a `with` block yields its address."""

    def __init__(self, issues: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = urlsplit(self.path).path.removeprefix("/repos/").removesuffix("/issues")
                body = json.dumps(issues.get(name, {"message": "Not Found"})).encode()
                self.send_response(200 if name in issues else 404)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
