"""`Guarded`: an MCP server that wants a sign-in."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from zot_provider.testing import SignInServer


class Guarded(ThreadingHTTPServer):
    """An MCP server that takes the tokens of `service`, and says where it is; zot registers here."""

    daemon_threads = True

    def __init__(self, service: SignInServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service, self.url = service, f"http://127.0.0.1:{self.server_port}"
        self.registered: list[dict[str, Any]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Guarded

    def do_GET(self) -> None:
        server, service = self.server, self.server.service
        if self.path == "/.well-known/oauth-protected-resource/mcp":
            self.reply(200, {"resource": f"{server.url}/mcp", "authorization_servers": [server.url]})
        elif self.path == "/.well-known/oauth-authorization-server":
            places = {"authorization_endpoint": f"{service.url}/authorize", "token_endpoint": f"{service.url}/token"}
            self.reply(200, {"issuer": server.url, "registration_endpoint": f"{server.url}/register", **places})
        else:
            self.reply(404, {})

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if self.path == "/register":
            self.server.registered.append(message)
            self.reply(201, {**message, "client_id": "zot-here"})
        elif token not in self.server.service.granted:
            self.reply(401, {})
        elif message["method"] == "initialize":
            info = {"name": "guarded", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "serverInfo": info, "capabilities": {"tools": {}}}
            self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif message["method"] == "tools/list":
            result = {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]}
            self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif "id" in message:
            error = {"code": -32601, "message": "no"}
            self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            self.reply(202, None)

    def reply(self, status: int, value: object) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_DELETE = do_GET

    def log_message(self, *_: object) -> None:
        pass
