"""Interceptions of what a client sends, with a real server; frames of 10 MB; and extensions that end in the middle."""

import asyncio
import json
from typing import Any

import pytest
from calling_extension import RAW, World
from waiting import until

from zot_core.events import ErrorEvent
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_provider.client.http import HttpClient
from zot_provider.registry import ModelRegistry
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn


def client(server: ScriptedServer) -> Any:
    """The client of a provider whose server is `server`."""
    provider = ModelRegistry().provider("openai")
    return HttpClient(provider, key="sk-0123456789", base_url=server.base_url(provider.wire))


BODY = """
@ext.intercept("before_provider_request")
def body(it):
    return PayloadDecision({**it.payload, "seed": 7})

@ext.intercept("before_provider_headers")
def headers(it):
    ext.log("headers", sorted(it.headers))
    return HeadersDecision({"x-added": "for " + it.model, "user-agent": None})

@ext.on("after_provider_response")
def answered(event):
    ext.notify(f"status {event.extra['status']}")
"""


async def test_the_body_and_the_headers_are_changed_and_the_key_is_not_shown(world: World) -> None:
    world.add("wire", BODY, "")
    with ScriptedServer(["hi"]) as server:
        async with world.running(client(server)) as talk:
            await talk.conversation.prompt("go")
            await until(lambda: any(getattr(each, "message", "") == "status 200" for each in talk.told))
            log = talk.log("wire")
        (received,) = server.requests
    assert received.body["seed"] == 7
    assert received.headers["x-added"] == "for scripted"
    assert received.headers["authorization"] == "Bearer sk-0123456789"
    assert "sk-0123456789" not in log
    assert "'authorization'" not in log


@pytest.mark.parametrize("name", ["authorization", "x-api-key", "Cookie", "a b", "x-\n"])
async def test_a_header_with_a_key_or_without_a_valid_name_cannot_be_set(world: World, name: str) -> None:
    body = (
        f'@ext.intercept("before_provider_headers")\ndef headers(it):\n    return HeadersDecision({{{name!r}: "x"}})\n'
    )
    world.add("wire", body, "")
    with ScriptedServer(["hi"]) as server:
        async with world.running(client(server)) as talk:
            assert await talk.conversation.prompt("go") == "completed"
            assert "no answer to the intercept before_provider_headers" in talk.log("wire")


async def test_a_request_that_is_refused_ends_the_run_with_the_reason(world: World) -> None:
    world.add("stop", '@ext.intercept("before_provider_request")\ndef stop(it):\n    return block("not today")\n', "")
    with ScriptedServer([]) as server:
        async with world.running(client(server)) as talk:
            errors = [each async for each in talk.conversation.prompt("go") if isinstance(each, ErrorEvent)]
        assert server.requests == []
    assert [each.message for each in errors] == ["not today"]


async def test_ten_megabytes_of_messages_go_to_an_extension_and_back(world: World) -> None:
    body = (
        '@ext.intercept("context")\ndef context(it):\n'
        "    ext.log('got', sum(len(str(each)) for each in it.messages))\n"
        "    return ContextDecision(messages=[*it.messages[:-1], {**it.messages[-1], 'content': [text('short')]}])\n"
        "def text(value):\n    return {'type': 'text', 'text': value}\n"
    )
    world.add("large", body, "")
    scripted = ScriptedClient(["a", "b"])
    async with world.running(scripted, context_seconds=60) as talk:
        await talk.conversation.prompt("x" * 10_000_000)
        await talk.conversation.prompt("and now?")
    assert [len(message.text) for message in scripted.requests[1].messages] == [10_000_000, 1, 5]
    assert scripted.requests[1].messages[1].text == "a"


async def test_large_messages_come_back_in_another_order_changed_twice_and_not_at_all(world: World) -> None:
    body = (
        '@ext.intercept("context")\ndef context(it):\n'
        "    if len(it.messages) < 5:\n        return None\n"
        "    a, _, b, d, c = it.messages\n"
        "    return ContextDecision(messages=[b, a, {**d, 'content': [{'type': 'text', 'text': 'new'}]}, a, c])\n"
    )
    world.add("order", body, "")
    scripted = ScriptedClient(["one", "two", "three"])
    async with world.running(scripted, context_seconds=60) as talk:
        await talk.conversation.prompt("a" * 300_000)
        await talk.conversation.prompt("b")
        await talk.conversation.prompt("c")
    assert [message.text for message in scripted.requests[2].messages] == [
        "b",
        "a" * 300_000,
        "new",
        "a" * 300_000,
        "c",
    ]


async def test_without_the_group_a_conversation_that_does_not_fit_is_not_sent(world: World) -> None:
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['intercepts2'])\n"
        "say(type='subscribe', intercept=['context'])\nsay(type='ready')\nuntil('shutdown')\n"
    )
    world.add_raw("raw", raw)
    scripted = ScriptedClient(["a"])
    async with world.running(scripted) as talk:
        assert await talk.conversation.prompt("x" * 5_000_000) == "completed"
        assert "the limit is 4194304" in talk.log("raw")


@pytest.mark.parametrize("blocks", [True, False])
async def test_an_extension_that_ends_when_it_is_asked_allows_or_blocks(world: World, *, blocks: bool) -> None:
    options = {"input": {"on_exit": "block"}} if blocks else {}
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['intercepts2'])\n"
        f"say(type='subscribe', intercept={[*INTERCEPTABLE]!r}, intercept_options={options!r})\n"
        "say(type='ready')\nuntil('event_intercept')\n"
    )
    world.add_raw("raw", raw)
    scripted = ScriptedClient([Turn(calls=[Call("bash", {"command": "true"})]), "ok"])
    async with world.running(scripted) as talk:
        assert await talk.conversation.prompt("go") == ("error" if blocks else "completed")
    assert len(scripted.requests) == (0 if blocks else 2)


async def test_a_run_is_stopped_while_an_extension_is_asked(world: World) -> None:
    body = '@ext.intercept("context")\ndef wait(it):\n    import time\n    ext.notify("asked")\n    time.sleep(60)\n'
    world.add("slow", body, "")
    scripted = ScriptedClient(["ok"])
    async with world.running(scripted, drain_seconds=0.1) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(each, "message", "") == "asked" for each in talk.told))
        run.cancel()
        assert await run == "aborted"
        assert [message.text for message in talk.runtime.messages] == ["go"]
    assert scripted.requests == []


async def test_answers_for_other_ids_and_events_change_nothing(world: World) -> None:
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['intercepts2'])\n"
        "say(type='subscribe', intercept=['input'])\nsay(type='ready')\n"
        "frame = until('event_intercept')\n"
        "say(type='event_intercept_response', id='unknown', text='other')\n"
        "say(type='event_intercept_response', id=frame['id'], drop_ids=['1'], summary='s', messages=[])\n"
        "say(type='event_intercept_response', id=frame['id'], text='late')\n"
        "until('shutdown')\n"
    )
    world.add_raw("raw", raw)
    scripted = ScriptedClient(["ok"])
    async with world.running(scripted) as talk:
        await talk.conversation.prompt("go")
        await until(lambda: "there was a reply before" in talk.log("raw"))
        assert "nobody asked for it" in talk.log("raw")
    assert [message.text for message in scripted.requests[0].messages] == ["go"]


async def test_frames_stay_in_order_behind_a_large_one(world: World) -> None:
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['intercepts2', 'large_frames'])\n"
        "say(type='register_command', name='large')\nsay(type='ready')\nuntil('command_invoked')\n"
        "sys.stdout.write(json.dumps({'type': 'notify', 'level': 'info', 'message': 'x' * 6_000_000}) + '\\n')\n"
        "for number in range(3):\n    say(type='notify', level='info', message=str(number))\n"
    )
    world.add_raw("raw", raw)
    async with world.running() as talk:
        asked = asyncio.ensure_future(talk.extensions.run_command("large"))
        await until(lambda: any(getattr(each, "message", "") == "2" for each in talk.told))
        notes = [each.message for each in talk.told if hasattr(each, "message")]
        await asyncio.gather(asked, return_exceptions=True)
    assert [len(each) if len(each) > 9 else each for each in notes[:4]] == [6_000_000, "0", "1", "2"]


async def test_what_was_changed_is_in_the_trace(world: World) -> None:
    from zot_agent.extensions.trace import Trace

    world.add("loud", '@ext.intercept("input")\ndef loud(it):\n    return InputDecision(text="LOUD")\n', "")
    path = world.root / "trace.jsonl"
    async with world.running(ScriptedClient(["ok"]), trace=Trace(str(path))) as talk:
        await talk.conversation.prompt("go")
    frames = [json.loads(line)["frame"] for line in path.read_text("utf-8").splitlines()]
    assert [each["text"] for each in frames if each["type"] in ("event_intercept", "event_intercept_response")] == [
        "go", "LOUD",
    ]  # fmt: skip
