"""`McpWorld`: MCP servers, each a real process, under zot's own extension for them, another real process."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from calling_extension import Person, Talk, World
from waiting import PATIENCE

from zot_agent.extensions.declared.bundled import bundled_mcp
from zot_core import ToolResultEvent
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

RAW = '''
import json, os, sys, time
def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def read():
    line = sys.stdin.readline()
    if not line: sys.exit()
    return json.loads(line)
def tool(name): return {"name": name, "description": name, "inputSchema": {"type": "object"}}
def text(words): return {"content": [{"type": "text", "text": words}]}
tools, handlers = [tool("go")], {}
CAN = {"tools": {"listChanged": True}}
HELLO = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "raw", "version": "1"}, "capabilities": CAN}
def serve(go):
    """Answer what every server is asked, and the tools with `go(name, arguments)`."""
    while True:
        message = read()
        method, id = message.get("method"), message.get("id")
        if method == "initialize": say(id=id, result=HELLO)
        elif method == "tools/list": say(id=id, result={"tools": tools})
        elif method == "tools/call":
            asked = message["params"]
            say(id=id, result=go(asked["name"], asked.get("arguments")))
        elif id is not None and method: say(id=id, error={"code": -32601, "message": "Method not found"})
'''
"""The beginning of a server in plain Python."""


def _text(block: TextBlock | ImageBlock) -> str:
    return block.text if isinstance(block, TextBlock) else f"<{block.mime_type}>"


class McpTalk:
    """A conversation with MCP servers."""

    def __init__(self, talk: Talk, person: Person, project: Path) -> None:
        self.talk, self.person, self.project = talk, person, project

    async def call(self, tool: str, **arguments: object) -> str:
        """What the model reads of a call; an error begins with `ERROR`."""
        return (await self.results((tool, arguments)))[0]

    async def results(self, *calls: tuple[str, dict[str, object]]) -> list[str]:
        """What the model reads of calls in one turn."""
        self.talk.client.add(Turn(calls=[Call(tool, arguments) for tool, arguments in calls]), "done")
        return await self.prompt()

    async def prompt(self) -> list[str]:
        """What the model reads of the calls of the next turns in the script."""
        found = [each async for each in self.talk.conversation.prompt("go") if isinstance(each, ToolResultEvent)]
        return [("ERROR " if each.is_error else "") + "".join(map(_text, each.content)) for each in found]

    @property
    def tools(self) -> list[str]:
        """The names of the tools of the servers."""
        return [each.name for each in self.talk.extensions.tools]

    async def until_shown(self, name: str, text: str) -> None:
        """Return once `/mcp NAME` shows the text."""
        async with asyncio.timeout(PATIENCE):
            while text not in await self.command("mcp", name):
                await asyncio.sleep(0.02)

    async def command(self, name: str, words: str = "") -> str:
        """What a slash command displays, or sends as a prompt."""
        return (await self.talk.extensions.run_command(name, words)).text


class McpWorld:
    """The servers of a test, in a file like `mcp.json`."""

    def __init__(self, world: World, packages: Path, python: Path | None = None) -> None:
        """`packages` are the environments of the extension; `python` is used in the place of the one there."""
        self.world, self.root = world, world.root
        self.file = self.root / "mcp.json"
        self.servers: dict[str, dict[str, Any]] = {}
        found = next(packages.glob("*/bin/python"))
        self.python = str(python or found)
        programs = self.root / "zot" / "envs" / "mcp" / found.parents[1].name / "bin"
        programs.mkdir(parents=True)
        for name in ("python", "python3"):
            (programs / name).symlink_to(self.python)
        (programs.parent / "complete").touch()

    def add(self, name: str, **fields: Any) -> None:
        """Add a server."""
        self.servers[name] = fields

    def raw(self, name: str, source: str, **fields: Any) -> None:
        """Add a server in plain Python whose program ends in `source`."""
        program = self.root / f"{name}.py"
        program.write_text(RAW + source)
        self.add(name, command=sys.executable, args=["-S", str(program)], **fields)

    async def doctor(self, *words: str) -> tuple[int | None, str]:
        """The exit code of `zot mcp doctor`, and what it prints."""
        quiet = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring", "ZOT_HOME": str(self.root / "zot")}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "zot_agent", "mcp", "doctor", *words, cwd=self.root, env=os.environ | quiet,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        out, _ = await process.communicate()
        return process.returncode, out.decode()

    @contextlib.asynccontextmanager
    async def running(
        self, *answers: Any, client: ScriptedClient | None = None, **limits: Any
    ) -> AsyncIterator[McpTalk]:
        """The conversation, once all servers are ready or have failed; the person gives these answers."""
        self.file.write_text(json.dumps({"mcpServers": self.servers}))
        self.world.bundled = [bundled_mcp([str(self.file)])]
        self.person = Person(*answers)
        os.makedirs(self.root / "project", exist_ok=True)
        # On a busy machine an extension that imports a lot is silent for longer than the quarter of a second.
        async with self.world.running(client, ask=self.person, ready_idle_seconds=PATIENCE, **limits) as talk:
            yield McpTalk(talk, self.person, self.root / "project")
