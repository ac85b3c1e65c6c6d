"""Events beyond those of every host, as an extension in its own process sees them."""

import json
from pathlib import Path
from typing import Any

import pytest
from calling_extension import RAW, Talk, World

from zot_core.compaction.compactor import CompactionLimits
from zot_core.event_json import image_id
from zot_ext.protocol.events.observable import OBSERVABLE
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

WATCH = """
import json, threading
seen, fence = [], threading.Semaphore(0)
def watch(name):
    @ext.on(name)
    def noted(event):
        seen.append([name, dict(event.extra), event.step])
for name in NAMES:
    watch(name)
@ext.on("theme_changed")
def last(event):
    fence.release()
@ext.command("seen")
def show(_):
    fence.acquire()
    return json.dumps(seen)
"""


def watching(world: World, *names: str) -> None:
    """Add an extension that notes these events."""
    world.add("watch", WATCH.replace("NAMES", repr(names)), "")


async def seen(talk: Talk) -> list[tuple[str, dict[str, Any]]]:
    """What it has seen up to now: events come in order."""
    talk.extensions.notify("theme_changed", theme="dark")
    return [(name, extra) for name, extra, _ in json.loads(await talk.command("seen"))]


def named(found: list[tuple[str, dict[str, Any]]], name: str) -> list[dict[str, Any]]:
    """The members of the events of this name."""
    return [extra for each, extra in found if each == name]


RUN = (
    "agent_start", "turn_start", "message_start", "message_end", "turn_end", "tool_execution_start",
    "tool_execution_end", "tool_result", "turn_complete", "agent_end", "agent_settled", "user_prompt_submit",
    "permission_decision", "entry_appended",
)  # fmt: skip


async def test_a_run_with_a_tool_is_seen_in_order_and_with_its_results(world: World) -> None:
    watching(world, *RUN)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "echo hi"}, "c1")]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        await talk.conversation.idle()
        found = await seen(talk)
    names = [name for name, _ in found if name not in ("entry_appended", "permission_decision")]
    first = ["message_end", "user_prompt_submit", "agent_start", "turn_start", "message_start", "message_end"]
    tool = ["turn_end", "tool_execution_start", "message_end", "tool_result", "tool_execution_end", "turn_complete"]
    last = ["turn_start", "message_start", "message_end", "turn_end", "turn_complete", "agent_end", "agent_settled"]
    assert names == [*first, *tool, *last]
    result, turn = named(found, "tool_result")[0], named(found, "turn_complete")[0]
    assert (result["status"], result["executed"]) == ("completed", True)
    assert "hi" in result["result"]["content"][0]["text"]
    assert turn["message"]["content"][0]["name"] == "bash"
    assert turn["tool_results"][0]["content"][0]["call_id"] == "c1"
    assert named(found, "permission_decision")[0]["source"] == "yolo"
    assert [each["kind"] for each in named(found, "entry_appended")] == ["user", "assistant", "tool", "assistant"]
    assert named(found, "agent_end") == [{"reason": "completed"}]


async def test_what_an_edit_has_changed_is_seen_at_its_end_and_at_the_end_of_the_turn(world: World) -> None:
    watching(world, "tool_result", "turn_complete")
    edit = {"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}
    client = ScriptedClient([Turn(calls=[Call("edit", edit, "c1")]), "done"])
    async with world.running(client) as talk:
        (Path(talk.runtime.cwd) / "a.txt").write_text("one\n")
        await talk.conversation.prompt("go")
        await talk.conversation.idle()
        found = await seen(talk)
    at_its_end = named(found, "tool_result")[0]["result"]["details"]
    (row,) = named(found, "turn_complete")[0]["tool_results"]
    for details in (at_its_end, row["content"][0]["details"]):
        assert (details["diff"], details["starts"]) == ("-one\n+two", [[1, 1]])


async def test_deltas_are_joined_and_come_before_the_message_that_they_belong_to(world: World) -> None:
    watching(world, "message_update", "message_end")
    text = "word " * 2000
    async with world.running(ScriptedClient([Turn(text, chunk=5)])) as talk:
        await talk.conversation.prompt("go")
        found = await seen(talk)
    updates = named(found, "message_update")
    assert "".join(each["delta"] for each in updates) == text
    assert len(updates) < 200
    assert found[-1][0] == "message_end"


async def test_changes_of_the_settings_and_of_the_session_are_seen(world: World) -> None:
    watching(
        world, "model_select", "thinking_level_select", "tools_changed", "session_info_changed", "session_tree",
        "entry_appended", "session_end",
    )  # fmt: skip
    async with world.running(session=True) as talk:
        conversation = talk.conversation
        conversation.set_model("other")
        conversation.set_reasoning("low")
        conversation.set_tools(["read"])
        conversation.rename("a title")
        talk.runtime.branches.add("me", "note", {})
        conversation.clear()
        await conversation.new_session()
        found = await seen(talk)
    assert [name for name, _ in found] == [
        "model_select", "thinking_level_select", "tools_changed", "session_info_changed", "entry_appended",
        "session_tree", "session_end",
    ]  # fmt: skip
    assert found[0][1] | {"provider": "", "previous_provider": ""} == {
        "provider": "", "model": "other", "previous_provider": "", "previous_model": "scripted",
    }  # fmt: skip
    assert found[1][1] == {"level": "low", "previous_level": "off"}
    assert found[2][1] == {"tools": ["read"]}
    assert found[6][1] == {"reason": "session_switch", "detail": "new"}


async def test_a_compaction_is_seen_whether_or_not_it_succeeds(world: World) -> None:
    watching(world, "pre_compact", "post_compact", "session_compact")
    client = ScriptedClient(["a", "b", "c", "the summary", "d", ""])
    async with world.running(client) as talk:
        talk.runtime.compactor._limits = CompactionLimits(None, keep=1)
        for _ in range(3):
            await talk.conversation.prompt("go")
        await talk.conversation.compact()
        await talk.conversation.prompt("go")
        await talk.conversation.compact()
        found = await seen(talk)
    assert [name for name, _ in found] == [
        "pre_compact", "post_compact", "session_compact", "pre_compact", "post_compact",
    ]  # fmt: skip
    assert [each["status"] for each in named(found, "post_compact")] == ["completed", "failed"]
    assert named(found, "session_compact")[0]["summary"] == "the summary"


async def test_an_extension_with_the_group_sees_each_session_and_the_end(world: World) -> None:
    body = WATCH.replace("NAMES", "('session_start',)") + (
        "@ext.on('session_end')\ndef end(event):\n    open('end', 'w').write(str(dict(event.extra)))\n"
    )
    world.add("watch", body, "events2")
    async with world.running(session=True) as talk:
        await talk.conversation.new_session()
        found = await seen(talk)
    assert [extra["reason"] for _, extra in found] == ["startup", "new"]
    assert found[1][1]["previous_session_file"].endswith("one.jsonl")
    text = (world.root / "extensions" / "watch" / "end").read_text()
    assert "'shutdown'" in text
    assert "'quit'" in text


async def test_an_extension_reads_its_session_after_shutdown_and_cannot_add_to_it(world: World) -> None:
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['session', 'messages'])\nsay(type='ready')\nuntil('shutdown')\n"
        "ask('1', 'session.entries')\nfirst = until('host_result')\n"
        "ask('2', 'messages.send', params={'text': 'one more'})\nsecond = until('host_result')\n"
        "open('end', 'w').write(json.dumps([first, second]))\nsay(type='shutdown_ack')\n"
    )
    world.add_raw("raw", raw)
    async with world.running(ScriptedClient(["hi"]), session=True) as talk:
        await talk.conversation.prompt("go")
    first, second = json.loads((world.root / "extensions" / "raw" / "end").read_text())
    assert [each["text"] for each in first["result"]["entries"]] == ["go", "hi"]
    assert second["code"] == "unavailable"


async def test_an_extension_that_did_not_ask_for_the_group_gets_only_the_events_of_every_host(world: World) -> None:
    raw = RAW + (
        "say(type='hello', name='raw')\n"
        "say(type='subscribe', events=['turn_start', 'agent_start', 'session_start', 'unheard_of'])\n"
        "say(type='register_command', name='raw')\nsay(type='ready')\nfound = []\n"
        "while (frame := read())['type'] != 'command_invoked':\n    found.append(frame.get('event'))\n"
        "show(frame, [each for each in found if each])\n"
    )
    world.add_raw("raw", raw)
    async with world.running(ScriptedClient(["hi"])) as talk:
        await talk.conversation.prompt("go")
        await talk.conversation.new_session()
        assert json.loads(await talk.command("raw")) == ["session_start", "turn_start"]
        assert "to observe agent_start needs the group 'events2'" in talk.log("raw")


async def test_a_long_message_is_cut_for_observers(world: World) -> None:
    watching(world, "message_end")
    async with world.running(ScriptedClient(["x" * 1_000_000])) as talk:
        await talk.conversation.prompt("go")
        message = named(await seen(talk), "message_end")[1]["message"]
    assert message["truncated"] is True
    assert len(message["content"][0]["text"]) == 256 * 1024


def test_messages_for_observers_have_no_reasoning_and_no_data_of_images() -> None:
    from zot_agent.extensions.hooks.observables import shown_message
    from zot_provider.messages import ImageBlock, ReasoningBlock

    message = Message("user", [ReasoningBlock("secret"), TextBlock("a"), ImageBlock("image/png", "AAAA")], id="1")
    content = shown_message(message)["content"]
    assert content == [
        {"type": "text", "text": "a"},
        {"type": "image", "mime_type": "image/png", "bytes": 3, "id": image_id("AAAA")},
    ]


@pytest.mark.parametrize("name", OBSERVABLE)
def test_every_observable_event_has_a_source(name: str) -> None:
    from zot_agent.extensions.hooks.observables import OBSERVED

    elsewhere = {"session_end", "theme_changed", "resize", "message_update", "tool_progress"}
    assert name in elsewhere or name in {row.name for row in OBSERVED}


async def test_sub_agents_are_seen_to_start_and_to_stop(world: World) -> None:
    watching(world, "subagent_start", "subagent_stop")
    async with world.running(ScriptedClient(["found"])) as talk:
        answer = await talk.conversation.runtime.agents.run("look", agent="explore")
        assert str(answer) == "found"
        found = await seen(talk)
    about = {"agent_id": "1", "agent_run_id": "1", "name": "explore"}
    assert named(found, "subagent_start") == [{**about, "task": "look", "model": "scripted", "parent": ""}]
    assert named(found, "subagent_stop") == [{**about, "status": "completed", "steps": 1, "tokens": 15, "branch": ""}]
