"""`zot mcp doctor` with real servers."""

import json
from pathlib import Path

from mcp_world import McpWorld

DEMO = str(Path(__file__).parent / "programs" / "demo.py")

ASKS = """
asked = {"messages": [{"role": "user", "content": {"type": "text", "text": "who?"}}], "maxTokens": 10}
form = {"mode": "form", "message": "who?", "requestedSchema": {"type": "object", "properties": {}}}
while True:
    message = read()
    method, id = message.get("method"), message.get("id")
    if method == "initialize": say(id=id, result=HELLO)
    elif method == "tools/list":
        say(id=90, method="sampling/createMessage", params=asked)
        say(id=91, method="elicitation/create", params=form)
        listing = id
    elif id == 90: sampled = message["error"]["message"]
    elif id == 91:
        tools[0]["description"] = sampled
        tools[0]["name"] = "go_" + message["result"]["action"]
        say(id=listing, result={"tools": tools})
    elif id is not None and method: say(id=id, error={"code": -32601, "message": "Method not found"})
"""
"""Asks for a model and for the person before it lists its tools."""


async def test_the_doctor_shows_what_servers_offer_and_why_one_cannot_be_used(mcp: McpWorld) -> None:
    mcp.add("demo", command=mcp.python, args=[DEMO])
    mcp.raw("asks", ASKS)
    mcp.add("gone", command=str(mcp.root / "nowhere"))
    mcp.add("refusing", url="http://127.0.0.1:1/mcp")
    mcp.add("resting", command="true", disabled=True)
    (mcp.root / "zot" / "mcp.json").write_text(json.dumps({"mcpServers": mcp.servers}))
    code, out = await mcp.doctor()
    assert code == 1
    assert [line.rstrip() for line in out.split("\n")] == out.split("\n")
    lines = out.splitlines()
    assert lines[0].startswith("ok  demo              demo 1 (protocol ")
    assert lines[1].startswith("ok  tools             mcp__demo__add, ")
    assert lines[2:4] == ["ok  prompts           mcp__demo__review", "ok  resources         demo://hello"]
    assert lines[5] == "ok  tools             mcp__asks__go_cancel"
    assert lines[6].startswith("no  gone              the server cannot be started: ")
    assert lines[7].startswith("no  refusing          the server cannot be used: ")
    assert "Connection refused" in lines[7]
    assert lines[8:] == [f"--  resting           off in {mcp.root / 'zot' / 'mcp.json'}"]
    code, out = await mcp.doctor("demo", "--json")
    assert (code, json.loads(out)["prompts"]) == (0, ["mcp__demo__review"])
