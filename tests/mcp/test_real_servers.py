"""The MCP servers that people use, of npm and of PyPI, under zot's own extension. `make mcp` runs these.

`tests/support/mcp-servers` pins them: those of npm, those of Python, and in `python1` those that need the Python
package of MCP before version 2.
"""

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from calling_extension import World
from mcp_world import McpTalk, McpWorld
from waiting import PATIENCE, until

from zot_core.images import without_damaged_notes
from zot_provider.messages import ImageBlock, Message, ToolResultBlock

SERVERS = Path(__file__).parents[1] / "support" / "mcp-servers"
NPM = SERVERS / "node_modules" / ".bin"
PYTHON = Path(__file__).parents[2] / ".mcp-servers" / "python" / "bin"
PYTHON_1 = PYTHON.parents[1] / "python1" / "bin"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory, installer_environment: dict[str, str]) -> Path:
    """The folder `envs/mcp` of a zot home."""
    home = tmp_path_factory.mktemp("mcp-home")
    done = subprocess.run(
        [sys.executable, "-m", "zot_agent", "ext", "setup", "mcp"],
        env=os.environ | installer_environment | {"ZOT_HOME": str(home)},
        cwd=home, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return home / "envs" / "mcp"


@pytest.fixture
def mcp(tmp_path: Path, packages: Path) -> McpWorld:
    found = McpWorld(World(tmp_path), packages)
    (tmp_path / "project").mkdir()
    return found


@asynccontextmanager
async def running(mcp: McpWorld, name: str, *answers: Any) -> AsyncIterator[McpTalk]:
    """The conversation, once the server is ready."""
    async with mcp.running(*answers) as zot:
        await zot.until_shown(name, f"{name}  ready")
        assert "left out" not in await zot.command("mcp", name)
        yield zot


async def test_sqlite(mcp: McpWorld) -> None:
    database = str(mcp.root / "x.db")
    mcp.add("db", command=str(PYTHON_1 / "mcp-server-sqlite"), args=["--db-path", database], deferred=False)
    async with running(mcp, "db") as zot:
        await zot.call("mcp__db__create_table", query="create table t (n integer)")
        await zot.call("mcp__db__write_query", query="insert into t values (41), (1)")
        assert "42" in await zot.call("mcp__db__read_query", query="select sum(n) from t")
        assert "memo://insights" in await zot.call("mcp_list_resources")
        assert "topic" in await zot.command("mcp__db__mcp-demo", "topic=birds")


async def test_git(mcp: McpWorld) -> None:
    folder = mcp.root / "project"
    for words in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one", "--allow-empty"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    mcp.add("git", command=str(PYTHON / "mcp-server-git"), args=["--repository", str(folder)], deferred=False)
    async with running(mcp, "git") as zot:
        assert "one" in await zot.call("mcp__git__git_log", repo_path=str(folder))
        assert (await zot.call("mcp__git__git_log", repo_path="/")).startswith("ERROR ")


async def test_time(mcp: McpWorld) -> None:
    mcp.add("time", command=str(PYTHON / "mcp-server-time"), args=["--local-timezone", "UTC"], deferred=False)
    async with running(mcp, "time") as zot:
        converted = await zot.call(
            "mcp__time__convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo"
        )
        assert "21:00" in converted


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<html><body><h1>Birds</h1><p>They sing.</p></body></html>" if self.path == "/birds" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def page() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/birds"
        server.shutdown()


async def test_fetch(mcp: McpWorld, page: str) -> None:
    mcp.add("fetch", command=str(PYTHON / "mcp-server-fetch"), args=["--allow-private-ips"], deferred=False)
    async with running(mcp, "fetch") as zot:
        assert "They sing." in await zot.call("mcp__fetch__fetch", url=page, raw=True)


@pytest.mark.needs("node")
async def test_memory(mcp: McpWorld) -> None:
    file = str(mcp.root / "memory.jsonl")
    mcp.add("memory", command=str(NPM / "mcp-server-memory"), env={"MEMORY_FILE_PATH": file}, deferred=False)
    entity = {"name": "Ada", "entityType": "person", "observations": ["writes programs"]}
    async with running(mcp, "memory") as zot:
        await zot.call("mcp__memory__create_entities", entities=[entity])
        assert "writes programs" in await zot.call("mcp__memory__search_nodes", query="Ada")


@pytest.mark.needs("node")
async def test_filesystem(mcp: McpWorld) -> None:
    folder = mcp.root / "project"
    mcp.add("fs", command=str(NPM / "mcp-server-filesystem"), args=[str(folder)], deferred=False)
    async with running(mcp, "fs") as zot:
        path = str(folder / "note.txt")
        await zot.call("mcp__fs__write_file", path=path, content="remember the milk")
        assert await zot.call("mcp__fs__read_text_file", path=path) == "remember the milk"
        assert (await zot.call("mcp__fs__read_text_file", path="/etc/hostname")).startswith("ERROR ")


def assert_no_damage(messages: list[Message]) -> None:
    """The image of the server has a colour profile with a wrong checksum, for which providers refuse a request."""
    results = [each.content for message in messages for each in message.content if isinstance(each, ToolResultBlock)]
    (image,) = [part for content in results for part in content if isinstance(part, ImageBlock)]
    data = base64.b64decode(image.data)
    assert without_damaged_notes(data) is data
    assert b"IDAT" in data


@pytest.mark.needs("node")
async def test_everything(mcp: McpWorld) -> None:
    mcp.add("all", command=str(NPM / "mcp-server-everything"), sampling="allow", deferred=False)
    async with mcp.running({"name": "Ada", "check": True, "integer": 42}) as zot:
        await until(lambda: "mcp__all__echo" in zot.tools)
        assert await zot.call("mcp__all__get-sum", a=2, b=3) == "The sum of 2 and 3 is 5."
        assert "<image/png>" in await zot.call("mcp__all__get-tiny-image")
        assert_no_damage(zot.talk.client.requests[-1].messages)
        assert "Ada" in await zot.call("mcp__all__trigger-elicitation-request")
        tools = json.dumps(zot.tools)
        assert "simulate-research-query" not in tools, "it only runs as a task"
