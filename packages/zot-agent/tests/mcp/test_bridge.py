"""MCP servers as an extension: a real server, the real extension, the real host."""

from pathlib import Path
from typing import Any

from mcp_world import McpWorld
from waiting import until

from zot_provider.testing import Call, ScriptedClient, Turn

DEMO = str(Path(__file__).parent / "programs" / "demo.py")


async def test_a_server_offers_tools_prompts_and_resources(mcp: McpWorld) -> None:
    mcp.add("demo", command=mcp.python, args=[DEMO])
    async with mcp.running() as zot:
        await until(lambda: "mcp__demo__add" in zot.tools)
        assert await zot.call("mcp__demo__add", a=2, b=3) == '{\n  "total": 5\n}'
        assert (await zot.call("mcp__demo__fail")).startswith("ERROR ")
        assert await zot.call("mcp__demo__picture") == "<image/png>"
        assert await zot.command("mcp__demo__review", "main.py 'very long'") == "Review main.py, very long"
        assert await zot.command("mcp__demo__review", "style=odd main.py") == "Review main.py, odd"
        assert '"uri": "demo://hello"' in await zot.call("mcp_list_resources")
        read = await zot.call("mcp_read_resource", server="demo", uri="demo://hello")
        assert read == '<resource uri="demo://hello">\nhello there\n</resource>'
        zot.talk.client.add("I see")
        [each async for each in zot.talk.conversation.prompt("what is in @demo:demo://hello, and in a@demo:x?")]
        said = zot.talk.client.requests[-1].messages[-1].text
        assert said == f"what is in @demo:demo://hello, and in a@demo:x?\n\n{read}"
        shown = await zot.command("mcp")
        assert shown.startswith("demo  ready, 5 tools, 1 prompt, 1 resource")
        assert "/mcp__demo__review" in await zot.command("mcp", "demo")
        assert await zot.call("mcp__demo__grow") == "grown"
        await until(lambda: "mcp__demo__grown" in zot.tools)
        assert await zot.call("mcp__demo__grown") == "new"


async def test_from_the_second_run_on_tools_are_there_at_once_and_a_named_resource_is_waited_for(mcp: McpWorld) -> None:
    mcp.add("demo", command=mcp.python, args=[DEMO])
    async with mcp.running() as zot:
        await until(lambda: "mcp__demo__add" in zot.tools)
        offered = zot.tools
    client = ScriptedClient(["four", "I see"])
    async with mcp.running(client=client, start_delay_seconds=600.0, remembered_seconds=60.0) as zot:
        await zot.prompt()
        assert zot.talk.extensions.members[0].connection is not None
        assert zot.talk.extensions.members[0].connection.pid is None
        assert [spec.name for spec in client.requests[0].tools if spec.name in offered] == offered
        [each async for each in zot.talk.conversation.prompt("what is in @demo:demo://hello?")]
        assert "hello there" in client.requests[1].messages[-1].text


async def test_the_tools_of_a_server_that_has_failed_are_not_offered_in_the_next_run(mcp: McpWorld) -> None:
    mcp.raw("looks", "if os.path.exists('fails'): sys.exit(3)\nserve(lambda name, arguments: text('found'))")
    mcp.raw("whole", "serve(lambda name, arguments: text('found'))")
    looks = Turn(calls=[Call("mcp__looks__go", {})])

    async def offered(*answers: Any) -> list[str]:
        """The tools of the servers in the first request of a run."""
        client = ScriptedClient([*answers])
        async with mcp.running(client=client) as zot:
            await zot.prompt()
        return [spec.name for spec in client.requests[0].tools if spec.name.startswith("mcp__")]

    one, both = ["mcp__whole__go"], ["mcp__looks__go", "mcp__whole__go"]
    assert await offered("done") == both
    fails = mcp.root / "project" / "fails"
    fails.touch()
    assert await offered(looks, "done") == both
    assert [await offered("done") for _ in range(2)] == [one, one]
    fails.unlink()
    assert [await offered("done") for _ in range(2)] == [both, both]
