"""What a tool of an extension reports and returns: progress, details, the end of the turn, structured content."""

import json
from pathlib import Path
from typing import Any

import pytest
from calling_extension import CALLER, RAW, World
from waiting import until

from zot_agent.extensions.tool_calls.running_call import ProgressFeed
from zot_core import Runtime
from zot_core.display import MarkdownDisplay, TextDisplay
from zot_core.events import ToolProgress, ToolResultEvent
from zot_provider.messages import TextBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn


def results(events: list[object]) -> list[ToolResultEvent]:
    return [each for each in events if isinstance(each, ToolResultEvent)]


async def test_progress_is_shown_in_order_before_the_result(world: World) -> None:
    world.add(
        "steps",
        "@ext.tool\nasync def steps():\n    'S.'\n    import asyncio\n"
        "    for n in range(3): ext.tools.progress(f'{n}\\n')\n"
        "    await ext.soon(ext.tools.progress, 'last\\n')\n    return 'ok'\n",
        "tools2",
    )
    async with world.running(ScriptedClient([Turn(calls=[Call("steps", {})]), "done"])) as talk:
        await talk.conversation.prompt("go")
        shown = [each.text for each in talk.told if isinstance(each, ToolProgress)]
        kinds = [type(each) for each in talk.told if isinstance(each, ToolProgress | ToolResultEvent)]
    assert "".join(shown) == "0\n1\n2\nlast\n"
    assert kinds[-1] is ToolResultEvent


async def test_a_flood_of_progress_is_joined_and_keeps_its_end(world: World) -> None:
    world.add(
        "flood",
        "@ext.tool\ndef flood():\n    'F.'\n    for n in range(5000):\n"
        "        ext.tools.progress(f'line {n}\\n')\n    return 'ok'\n",
        "tools2",
    )
    client = ScriptedClient([Turn(calls=[Call("flood", {})]), "done"])
    async with world.running(client, progress_seconds=1000, progress_characters=100) as talk:
        await talk.conversation.prompt("go")
        first, last = (each.text for each in talk.told if isinstance(each, ToolProgress))
    assert first == "line 0\n"
    assert last.startswith("[...]\n")
    assert last.endswith("line 4999\n")
    assert len(last) < 120


async def test_progress_for_a_call_that_is_not_open_is_ignored(world: World) -> None:
    source = RAW + (
        "say(type='hello', name='late', capabilities=['tools2'])\n"
        "say(type='register_tool', name='t', description='', schema={})\nsay(type='ready')\n"
        "say(type='tool_progress', id='nobody', text='x')\n"
        "call = until('tool_call')\n"
        "say(type='tool_result', id=call['id'], content=[])\n"
        "say(type='tool_progress', id=call['id'], text='after')\nuntil('shutdown')\n"
    )
    world.add_raw("late", source)
    async with world.running(ScriptedClient([Turn(calls=[Call("t", {})]), "done"])) as talk:
        await talk.conversation.prompt("go")
        assert [each for each in talk.told if isinstance(each, ToolProgress)] == []


async def test_frames_of_a_group_that_was_not_asked_for_are_refused_in_the_log(world: World) -> None:
    source = RAW + (
        "say(type='hello', name='bold')\nsay(type='tool_progress', id='1', text='x')\n"
        "say(type='call_tool', id='1', name='bash', args={})\ncommand('x')\n"
    )
    world.add_raw("bold", source)
    async with world.running() as talk:
        assert "a frame 'tool_progress' needs the group 'tools2'" in talk.log("bold")
        assert "a frame 'call_tool' needs the group 'call_tool'" in talk.log("bold")


async def test_a_progress_feed_without_text_has_no_timer() -> None:
    shown: list[str] = []
    feed = ProgressFeed(shown.append, 0.001, 10)
    feed.add("a")
    feed.add("b")
    await until(lambda: shown == ["a", "b"])
    await until(lambda: feed._timer is None)
    feed.close()
    assert shown == ["a", "b"]


KEEPER = """
@ext.tool
def keep(n: int) -> Result:
    'K.'
    return text_result(f'kept {n}', details={'n': n})
@ext.command('last')
def last(_):
    return json.dumps([*ext.session.details()])
import json
"""


async def test_details_are_kept_in_the_session_and_the_model_never_reads_them(world: World) -> None:
    world.add("keeper", KEEPER, "session")
    client = ScriptedClient([Turn(calls=[Call("keep", {"n": 7}), Call("keep", {"n": 8})]), "done"])
    async with world.running(client, session=True) as talk:
        await talk.conversation.prompt("go")
        file = talk.runtime.session.path if talk.runtime.session else ""
        kept = json.loads(await talk.command("last"))
    assert kept == [
        {"n": 7, "extension": "keeper"},
        {"n": 8, "extension": "keeper"},
    ]
    async with Runtime("scripted", client=ScriptedClient(), session=file) as again:
        blocks = [each for message in again.messages for each in message.content if isinstance(each, ToolResultBlock)]
    assert [each.details for each in blocks] == [{"n": 7, "extension": "keeper"}, {"n": 8, "extension": "keeper"}]
    assert "extension" not in str([each.content for each in blocks])


async def test_without_a_file_details_are_kept_in_memory(world: World) -> None:
    world.add("caller", CALLER + KEEPER, "session")
    client = ScriptedClient([Turn(calls=[Call("keep", {"n": 7})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        answer = await talk.call("session.entries", kinds=["tool"], content=True)
        [entry] = answer["result"]["entries"]
        whole = (await talk.call("session.entry", entry=entry["id"]))["result"]
    assert whole["content"] == entry["content"]
    assert entry["content"][0]["details"] == {"n": 7, "extension": "caller"}


async def test_details_that_are_too_large_are_dropped_and_the_result_counts(world: World) -> None:
    source = RAW + (
        "say(type='hello', name='big', capabilities=['tools2'])\n"
        "say(type='register_tool', name='t', description='', schema={})\nsay(type='ready')\n"
        "call = until('tool_call')\n"
        "say(type='tool_result', id=call['id'], content=[{'type': 'text', 'text': 'ok'}], details={'x': 'y' * 70000})\n"
        "until('shutdown')\n"
    )
    world.add_raw("big", source)
    world.add("sdk", "@ext.tool\ndef sdk():\n    'S.'\n    return text_result('x', details={'x': 'y' * 70000})\n", "")
    client = ScriptedClient([Turn(calls=[Call("t", {}), Call("sdk", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        raw, sdk = results(talk.told)
        assert "details of t are dropped: they have more than 65536 bytes" in talk.log("big")
    assert (raw.content, raw.is_error, raw.details) == ([TextBlock("ok")], False, {"extension": "big"})
    assert sdk.is_error
    assert "at most 65536 bytes" in str(sdk.content)


@pytest.mark.parametrize("both", [True, False])
async def test_a_run_ends_after_a_batch_whose_results_all_say_so(world: World, *, both: bool) -> None:
    world.add(
        "final",
        "@ext.tool\ndef final(end: bool) -> Result:\n    'F.'\n    return text_result('x', terminate=end)\n",
        "",
    )
    calls = [Call("final", {"end": True}), Call("final", {"end": both})]
    client = ScriptedClient([Turn(calls=calls), "more"])
    async with world.running(client) as talk:
        assert (await talk.conversation.prompt("go")) == "completed"
        client.add("next")
        await talk.conversation.prompt("again")
    assert len(client.requests) == (2 if both else 3)
    assert client.requests[-1].messages[-1].text == "again"


async def test_structured_content_is_for_programs_and_the_model_reads_it_if_there_is_nothing_else(world: World) -> None:
    world.add(
        "data",
        "@ext.tool\ndef data(text: str) -> Result:\n    'D.'\n"
        "    return Result((TextBlock(text),) if text else (), structured={'a': [1]})\n",
        "",
    )
    client = ScriptedClient([Turn(calls=[Call("data", {"text": "words"}), Call("data", {"text": ""})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        words, bare = results(talk.told)
    assert [each.details["structured_content"] for each in (words, bare)] == [{"a": [1]}, {"a": [1]}]
    assert (words.content, bare.content) == ([TextBlock("words")], [TextBlock('{"a":[1]}')])


async def test_the_person_sees_markdown_formatted_and_the_model_reads_the_text(world: World) -> None:
    world.add(
        "doc",
        "@ext.tool\ndef doc() -> Result:\n    'D.'\n"
        "    return Result((TextBlock('# A', 'markdown'), TextBlock('b')))\n"
        "@ext.tool\ndef plain() -> str:\n    'P.'\n    return 'p'\n",
        "",
    )
    client = ScriptedClient([Turn(calls=[Call("doc", {}), Call("plain", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        doc, plain = results(talk.told)
    assert doc.display == [MarkdownDisplay("# A"), TextDisplay("b")]
    assert doc.content == [TextBlock("# A"), TextBlock("b")]
    assert plain.display == []


async def test_a_session_switch_while_a_tool_runs_leaves_both_sessions_whole(world: World, tmp_path: Path) -> None:
    world.add(
        "slow",
        "@ext.tool\nasync def slow() -> str:\n    'S.'\n    ext.tools.progress('began')\n    import asyncio\n"
        "    await asyncio.sleep(60)\n",
        "tools2 cancel tool_cancel",
    )
    client = ScriptedClient([Turn(calls=[Call("slow", {})])])
    async with world.running(client, session=True) as talk:
        before = talk.runtime.session.path if talk.runtime.session else ""
        run = talk.conversation.prompt("go")
        await until(lambda: any(isinstance(each, ToolProgress) for each in talk.told))
        run.cancel()
        await run
        await talk.conversation.new_session()
        client.add("fine")
        await talk.conversation.prompt("next")
        after = talk.runtime.session.path if talk.runtime.session else ""
        assert [each.fate for each in results(talk.told)] == ["stopped"]
        assert [member.running for member in talk.extensions.members] == [True]
    rows: list[list[dict[str, Any]]] = [
        [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()] for file in (before, after)
    ]
    roles = [[row["message"]["role"] for row in each if row["type"] == "message"] for each in rows]
    assert roles == [["user", "assistant", "tool"], ["user", "assistant"]]


async def test_the_go_zot_s_tool_cancel_says_that_nobody_waits(world: World) -> None:
    source = RAW + (
        "say(type='hello', name='old', capabilities=['tools', 'tool_cancel'])\n"
        "say(type='register_tool', name='t', description='', schema={})\nsay(type='ready')\n"
        "call = until('tool_call')\n"
        "say(type='notify', level='info', message='called')\n"
        "taken = until('tool_cancel')\nassert taken == {'type': 'tool_cancel', 'id': call['id']}\n"
        "say(type='notify', level='info', message='cancelled')\nuntil('shutdown')\n"
    )
    world.add_raw("old", source)
    async with world.running(ScriptedClient([Turn(calls=[Call("t", {})])])) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(each, "message", "") == "called" for each in talk.told))
        run.cancel()
        await run
        await until(lambda: any(getattr(each, "message", "") == "cancelled" for each in talk.told))
