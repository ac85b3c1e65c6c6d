"""`zot mcp serve`, asked by the client of the package `mcp`."""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp_world import McpWorld
from waiting import PATIENCE

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

CLIENT = str(Path(__file__).parent / "programs" / "client.py")


async def test_a_client_asks_zot(mcp: McpWorld, server: ScriptedServer) -> None:
    server.add(
        Turn(calls=[Call("ls", {})]),
        "I looked.",
        Turn(calls=[Call("bash", {"command": "sleep 600"})]),
        "Again.",
        "New.",
    )
    server.add(Turn(fault=Fault(status=400, body={"error": {"message": "out of order"}})))
    (mcp.root / "project").mkdir()
    variables = {"ZOT_HOME": str(mcp.root / "zot"), "OPENAI_API_KEY": "k", "PATH": os.environ["PATH"]}
    base = server.base_url("openai-chat")
    flags = ["--provider", "openai", "--model", "scripted", "--base-url", base]
    client = await asyncio.create_subprocess_exec(
        *[mcp.python, CLIENT, json.dumps(variables), sys.executable, "-m", "zot_agent", "mcp", "serve", *flags],
        cwd=mcp.root / "project", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(client.communicate(), PATIENCE)
    assert client.returncode == 0, err.decode()
    names, steps, cancelled, texts, failed = json.loads(out)
    assert names == ["ask"]
    assert steps == ["ls {}"]
    assert cancelled is True
    assert texts[:3] == ["I looked.", "Again.", "New."]
    assert failed is True
    assert "out of order" in texts[3]
    counts = {each.body["messages"][-1]["content"]: len(each.body["messages"]) for each in server.requests}
    assert counts["again"] > counts["look"] == counts["afresh"]
