"""The reference servers of MCP in print, over RPC and on the screen."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from declared import declared
from mcp_world import McpWorld
from pty_screen import PtyScreen
from waiting import PATIENCE

from zot_agent.client import RpcClient
from zot_provider.testing import Call, ScriptedServer, Turn

ASKS = Turn(
    calls=[
        Call("mcp__all__get-sum", {"a": 2, "b": 3}),
        Call("mcp__all__trigger-elicitation-request", {}),
        Call("mcp__all__trigger-sampling-request", {"prompt": "why?"}),
    ]
)
"""A model that calls a tool, a tool that asks the person, and a tool that asks a model."""


def prepare(mcp: McpWorld, server: ScriptedServer) -> tuple[list[str], dict[str, str]]:
    """The flags and the environment of zot, for a home that has the server."""
    mcp.add("all", command=str(declared("mcp-servers") / "mcp-server-everything"), sampling="allow", deferred=False)
    home = mcp.root / "zot"
    (home / "mcp.json").write_text(json.dumps({"mcpServers": mcp.servers}))
    (mcp.root / "project").mkdir()
    flags = ["--provider", "openai", "--model", "scripted", "--base-url", server.base_url("openai-chat")]
    variables = {"ZOT_HOME": str(home), "OPENAI_API_KEY": "k", "ZOT_PERMISSION_MODE": "yolo", "TERM": "xterm-256color"}
    return flags, os.environ | variables


def run(mcp: McpWorld, flags: list[str], environment: dict[str, str], prompt: str) -> subprocess.CompletedProcess[str]:
    """Run `zot -p`."""
    done = subprocess.run(
        [sys.executable, "-m", "zot_agent", "-p", prompt, *flags],
        cwd=mcp.root / "project", env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def ask(mcp: McpWorld, flags: list[str], environment: dict[str, str], prompt: str) -> str:
    """What `zot -p` prints."""
    return run(mcp, flags, environment, prompt).stdout


def results(server: ScriptedServer) -> list[str]:
    """What the model read of its calls."""
    messages: list[dict[str, Any]] = server.requests[-1].body["messages"]
    return [each["content"] for each in messages if each["role"] == "tool"]


@pytest.mark.needs("mcp-servers", "node")
def test_in_print_also_in_the_first_run(mcp: McpWorld, server: ScriptedServer) -> None:
    flags, environment = prepare(mcp, server)

    server.add(ASKS, "because", "done", "fine")
    assert ask(mcp, flags, environment, "read @all:demo://resource/static/document/features.md") == "done\n"
    first = server.requests[0].body
    assert '<resource uri="demo://resource/static/document/features.md">' in first["messages"][-1]["content"]
    total, elicited, sampled = results(server)
    assert total == "The sum of 2 and 3 is 5."
    assert "cancel" in elicited  # nobody can be asked
    assert "because" in sampled
    assert ask(mcp, flags, environment, "/mcp__all__args-prompt city=Paris") == "fine\n"
    assert "Paris" in server.requests[-1].body["messages"][-1]["content"]
    assert len(server.requests[-1].body["tools"]) == len(first["tools"])


@pytest.mark.needs("mcp-servers", "node")
def test_a_remembered_server_loads_the_tables_of_questions_and_calls_once_they_are_needed(
    mcp: McpWorld, server: ScriptedServer
) -> None:
    flags, environment = prepare(mcp, server)
    server.add("known", "at once", "with a resource")
    ask(mcp, flags, environment, "what is there?")  # zot remembers the tools
    tables = {
        "zot_agent.extensions.hooks.intercepts", "zot_ext.protocol.calls", "zot_ext.protocol.events.interceptable"
    }  # fmt: skip
    loaded = []
    for prompt in ("and now?", "read @all:demo://resource/static/document/features.md"):
        done = run(mcp, flags, {**environment, "PYTHONPROFILEIMPORTTIME": "1"}, prompt)
        loaded.append(tables & {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()})
    assert loaded == [set(), tables]


@pytest.mark.needs("mcp-servers", "node")
async def test_over_rpc(mcp: McpWorld, server: ScriptedServer) -> None:
    flags, environment = prepare(mcp, server)
    server.add(ASKS, "because", "done")
    options = {"cwd": str(mcp.root / "project"), "env": environment, "args": flags}
    async with asyncio.timeout(PATIENCE), RpcClient.start(**options) as client:
        while "mcp__all__args-prompt" not in [each["name"] for each in (await client.control_commands())["commands"]]:
            await asyncio.sleep(0.05)
        async for event in client.prompt("read @all:demo://resource/static/document/features.md"):
            if event["type"] == "ext_ui_request":
                form = {"name": "Ada", "check": True, "integer": 42}
                await client.ext_ui_response(event["request"], value=form)
    first = server.requests[0].body["messages"][-1]["content"]
    assert '<resource uri="demo://resource/static/document/features.md">' in first
    total, elicited, sampled = results(server)
    assert total == "The sum of 2 and 3 is 5."
    assert "Ada" in elicited
    assert "because" in sampled


@pytest.mark.needs("mcp-servers", "node")
def test_on_the_screen(mcp: McpWorld, server: ScriptedServer) -> None:
    flags, environment = prepare(mcp, server)
    server.add("known", ASKS, "because", "done", "fine")
    ask(mcp, flags, environment, "what is there?")  # zot remembers the tools
    command = [sys.executable, "-m", "zot_agent", *flags]
    with PtyScreen(command, columns=120, rows=50, environment=environment, cwd=str(mcp.root / "project")) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("read @all:demo://resource/static/document/features.md\r")
        pty.wait_for("1 of 13")
        pty.type("Ada\r")
        for number in range(2, 14):
            pty.wait_for(f"{number} of 13")
            pty.type("\r")
        pty.wait_for("done")
        pty.type("/mcp__all__args-prompt city=Paris\r")
        pty.wait_for("fine")
        total, elicited, sampled = results(server)
        assert total == "The sum of 2 and 3 is 5."
        assert "Ada" in elicited
        assert "because" in sampled
        assert "Paris" in server.requests[-1].body["messages"][-1]["content"]
        pty.type("\x03\x03")
        assert pty.wait_end() == 0
    assert "<resource uri=" in server.requests[1].body["messages"][-1]["content"]
