"""Servers behind a URL: the real package on the other side, and a server that sends too much."""

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from mcp_world import McpWorld
from ports import free_port, listens
from waiting import until, wait_until

DEMO = str(Path(__file__).parent / "programs" / "demo.py")


class Strange(BaseHTTPRequestHandler):
    """Wants a token, and answers a call with 100 MB."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != "Bearer let-me-in":
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        method = message["method"]
        if method == "initialize":
            info = {"name": "strange", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "serverInfo": info, "capabilities": {"tools": {}}}
        elif method == "tools/list":
            result = {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(b"x" * (1 << 20))
            except OSError:
                pass
            return
        else:
            self.reply({"error": {"code": -32601, "message": "no"}}, message)
            return
        self.reply({"result": result}, message)

    def reply(self, fields: dict[str, object], message: dict[str, object]) -> None:
        body = b"" if "id" not in message else json.dumps({"jsonrpc": "2.0", "id": message["id"], **fields}).encode()
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(405)

    do_DELETE = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def strange() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Strange) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


async def test_servers_behind_urls(mcp: McpWorld, strange: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRANGE_TOKEN", "let-me-in")
    port = free_port()
    demo = subprocess.Popen([mcp.python, DEMO, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port), "the server")
        mcp.add("demo", type="http", url=f"http://127.0.0.1:{port}/mcp")
        mcp.add("strange", url=strange, headers={"Authorization": "Bearer ${STRANGE_TOKEN}"})
        mcp.add("closed", url=strange)
        async with mcp.running() as zot:
            await until(lambda: {"mcp__demo__add", "mcp__strange__go"} <= {*zot.tools})
            assert await zot.call("mcp__demo__add", a=2, b=3) == '{\n  "total": 5\n}'
            assert await zot.call("mcp__demo__grow") == "grown"
            await until(lambda: "mcp__demo__grown" in zot.tools)
            assert "the answer has more than 16 MiB" in await zot.call("mcp__strange__go")
            assert "mcp__closed__go" not in zot.tools
            await zot.until_shown("closed", "the server wants a sign-in")
    finally:
        demo.kill()
        demo.wait()
