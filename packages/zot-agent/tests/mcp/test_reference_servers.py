"""The reference servers of MCP, which are the work of others."""

import pytest
from declared import declared
from mcp_world import McpWorld

from zot_core import ToolProgress
from zot_provider.testing import Call, Turn


@pytest.mark.needs("mcp-servers", "node")
async def test_the_reference_servers_work(mcp: McpWorld) -> None:
    programs = declared("mcp-servers")
    mcp.add("all", command=str(programs / "mcp-server-everything"), sampling="allow", deferred=False)
    mcp.add(
        "fs",
        command=str(programs / "mcp-server-filesystem"),
        args=[str(mcp.root / "project")],
        deferred=False,
    )
    (mcp.root / "project").mkdir()
    (mcp.root / "project" / "note.txt").write_text("remember the milk")
    form = {"name": "Ada", "check": True, "integer": 42}
    async with mcp.running(form) as zot:
        results = await zot.results(
            ("mcp__fs__read_text_file", {"path": str(mcp.root / "project" / "note.txt")}),
            ("mcp__fs__read_text_file", {"path": "/etc/hostname"}),
            ("mcp__all__get-sum", {"a": 2, "b": 3}),
            ("mcp__all__get-tiny-image", {}),
            ("mcp__all__get-structured-content", {"location": "New York"}),
            ("mcp__all__trigger-long-running-operation", {"duration": 0.2, "steps": 2}),
            ("mcp__all__get-roots-list", {}),
            ("mcp_read_resource", {"server": "all", "uri": "demo://resource/static/document/features.md"}),
        )
        assert results[0] == "remember the milk"
        assert results[1].startswith("ERROR ")
        assert "access denied" in results[1].lower()
        assert results[2] == "The sum of 2 and 3 is 5."
        assert "image" in results[3]
        assert "temperature" in results[4]
        assert "completed" in results[5]
        assert "2/2" in "".join(event.text for event in zot.talk.told if isinstance(event, ToolProgress))
        assert (mcp.root / "project").as_uri() in results[6]
        assert '<resource uri="demo://resource/static/document/features.md">' in results[7]
        assert "Paris" in await zot.command("mcp__all__args-prompt", "city=Paris")
        answer = await zot.call("mcp__all__trigger-elicitation-request")
        assert "Ada" in answer
        assert mcp.person.shown[0].kind == "form"
        zot.talk.client.add(Turn(calls=[Call("mcp__all__trigger-sampling-request", {"prompt": "why?"})]), "because")
        zot.talk.client.add("done")
        assert "because" in (await zot.prompt())[0]
