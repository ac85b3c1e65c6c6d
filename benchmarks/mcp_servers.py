"""An MCP server with many tools: what it adds to the prompt, and to the time of the first request of a later run."""

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure
from tool_server import ToolServer

TOOLS = 200
SERVER = """
import json, sys
text = {"type": "string", "description": "what to look for, as a pattern or a word"}
schema = {"type": "object", "properties": {"query": text, "limit": {"type": "integer"}}, "required": ["query"]}
tools = [{"name": f"find_{n}", "description": f"Find things of kind {n} in the collection.", "inputSchema": schema}
         for n in range(%d)]
hello = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "many", "version": "1"}, "capabilities": {"tools": {}}}
for line in sys.stdin:
    asked = json.loads(line)
    known = {"initialize": hello, "tools/list": {"tools": tools}}
    if "id" in asked:
        found = {"result": known[asked["method"]]} if asked["method"] in known else {
            "error": {"code": -32601, "message": "Method not found"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **found}), flush=True)
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Bytes and times of first requests, with the server and without it."""
    program = environment.folder / "many.py"
    program.write_text(SERVER % TOOLS)
    home = environment.folder / "mcp-home"
    added = environment.run(
        [environment.zot, "mcp", "add", "many", "--", sys.executable, str(program)], ZOT_HOME=str(home)
    )
    assert added.returncode == 0, added.stderr.decode()
    server = ToolServer("bash", lambda _: {"command": "true"}, 0)
    _first(environment, server, home)  # waits for the server, and remembers its tools
    assert list((home / "remembered").iterdir()), "nothing is remembered"
    empty = environment.folder / "no-mcp-home"
    pairs = environment.samples(lambda: (_first(environment, server, home), _first(environment, server, empty)), 9)
    more = statistics.median(one[1] - other[1] for one, other in pairs)
    assert more > 0, "no tools"
    yield Figure(f"an MCP server with {TOOLS} tools adds to a request", more / 1000, "kB", 2)
    ratio = statistics.median(one[0] / other[0] for one, other in pairs)
    yield Figure("first request with it, from the second run on", ratio, "x", 1.15, "over one without servers")


def _first(environment: Environment, server: ToolServer, home: Path) -> tuple[float, int]:
    """Seconds from the start of zot to its first request, and the bytes of that."""
    command = [environment.zot, "-p", "go", "--no-session", "--provider", "openai", "--model", "m"]
    server.arrivals.clear()
    begin = time.monotonic()
    done = environment.run([*command, "--base-url", server.base_url], ZOT_HOME=str(home))
    assert done.returncode == 0, done.stderr.decode()
    at, size = server.arrivals[0]
    return at - begin, size
