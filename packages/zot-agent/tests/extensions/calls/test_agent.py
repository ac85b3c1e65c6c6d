"""Messages, control and models: what extensions do with the agent."""

import asyncio
from typing import Any

import pytest
from calling_extension import CALLER, Talk, World
from waiting import until

from zot_core.events import TurnStart
from zot_provider.testing import Call, ScriptedClient, Turn


def read(client: ScriptedClient, at: int = -1) -> list[str]:
    """What the user said in a request, as the model read it."""
    return [message.text for message in client.requests[at].messages if message.role == "user" and message.text]


async def send(talk: Talk, text: str, **more: Any) -> str:
    answer = await talk.call("messages.send", text=text, **more)
    return str(answer["result"]["delivered"]) if "result" in answer else str(answer["code"])


async def test_an_idle_agent_answers_a_message_or_keeps_it_for_the_next_prompt(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient(["a", "b"])
    async with world.running(client) as talk:
        assert await send(talk, "from me", display_text="shown", custom_type="note") == "started"
        await talk.conversation.idle()
        message = talk.runtime.messages[0]
        assert (message.text, message.display_text) == ("from me", "shown")
        assert message.extra == {"extension": "caller", "custom_type": "note"}
        assert await send(talk, "later", deliver_as="next_turn", hidden=True) == "kept"
        assert await send(talk, "too", trigger=False) == "kept"
        assert not talk.conversation.busy
        await talk.conversation.prompt("now")
        assert read(client) == ["from me", "now", "later", "too"]
        assert await send(talk, " ") == await send(talk, "x", deliver_as="pigeon") == "invalid"


async def test_a_message_steers_or_follows_a_run(world: World) -> None:
    body = (
        "@ext.tool\ndef work() -> str:\n    'Work.'\n"
        "    ext.messages.send('steered', deliver_as='steer')\n    ext.messages.send('after')\n    return 'done'\n"
    )
    world.add("worker", body)
    client = ScriptedClient([Turn(calls=[Call("work", {})]), "b", "c"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
    assert read(client, 1) == ["go", "steered"]
    assert read(client, 2) == ["go", "steered", "after"]


async def test_a_message_interrupts_a_run(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "sleep 3600"})]), "b"])
    async with world.running(client) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(event, "type", "") == "tool_call" for event in talk.told))
        assert await send(talk, "instead", deliver_as="interrupt") == "queued"
        assert await run == "aborted"
        await talk.conversation.idle()
    assert read(client)[-1] == "instead"


async def test_where_one_prompt_is_answered_no_other_is_started(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running() as talk:
        talk.conversation.refusal = lambda: "only one prompt is answered in this mode"
        assert await send(talk, "hello") == "unavailable"
        assert await send(talk, "hello", deliver_as="next_turn") == "kept"


async def test_an_extension_sees_stops_and_awaits_the_work(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "sleep 3600"})])])
    async with world.running(client) as talk:
        assert (await talk.call("control.state"))["result"]["idle"]
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(event, "type", "") == "tool_call" for event in talk.told))
        state = (await talk.call("control.state"))["result"]
        assert (state["idle"], state["model"]) == (False, "scripted")
        waiting = asyncio.create_task(talk.command("call", '{"method": "control.wait_idle", "params": {}}'))
        assert (await talk.call("control.abort"))["result"] == {"stopped": True}
        assert await run == "aborted"
        assert "result" in await waiting


async def test_a_handler_that_a_run_waits_for_cannot_wait_for_its_end(world: World) -> None:
    body = (
        "def codes():\n    found = []\n    for act in (ext.control.wait_idle, ext.control.compact):\n        try:\n"
        "            act()\n        except HostError as error:\n            found.append(error.code)\n"
        "    return str(found)\n"
        "@ext.tool\ndef work() -> str:\n    'Work.'\n    ext.log('tool', codes())\n    return ''\n"
        "@ext.command('stuck')\ndef stuck(_):\n    ext.log('command', codes())\n"
    )
    world.add("worker", body)
    async with world.running(ScriptedClient([Turn(calls=[Call("work", {})]), "b"])) as talk:
        await talk.conversation.prompt("go")
        await talk.conversation.prompt("/stuck")
        assert "tool ['busy', 'busy']" in talk.log("worker")
        assert "command ['busy', 'busy']" in talk.log("worker")


async def test_an_extension_compacts_the_conversation(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient(["one", "two", "three", "the summary"])
    async with world.running(client) as talk:
        for text in ("first", "second", "third"):
            await talk.conversation.prompt(text)
        answer = await talk.call("control.compact", instructions="keep the numbers")
        assert answer == {"result": {"end": "completed"}}
    assert "keep the numbers" in client.requests[-1].messages[-1].text


async def test_a_model_answers_outside_of_the_conversation_and_its_tokens_count(world: World) -> None:
    body = (
        "@ext.command('ask')\ndef ask(args):\n    parts = []\n"
        "    text = ext.model.complete(args, system='brief', model='other', max_tokens=9, progress=parts.append)\n"
        "    return f'{text} {\"\".join(parts) == text}'\n"
    )
    world.add("asker", body)
    client = ScriptedClient(["forty-two"])
    async with world.running(client) as talk:
        assert await talk.command("ask", "what?") == "forty-two True"
        assert talk.runtime.messages == []
        assert talk.runtime.usage.output == 5
    request = client.requests[0]
    assert (request.model.id, request.system, request.max_tokens) == ("other", "brief", 9)
    assert [message.text for message in request.messages] == ["what?"]


async def test_the_model_changes_only_while_nothing_runs(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "sleep 3600"})])])
    async with world.running(client) as talk:
        assert (await talk.call("model.set", model="other"))["result"]["model"] == "other"
        run = talk.conversation.prompt("go")
        await until(lambda: any(isinstance(event, TurnStart) for event in talk.told))
        assert (await talk.call("model.set", model="third"))["code"] == "busy"
        run.cancel()
        await run


@pytest.mark.parametrize(
    "params", [{"prompt": " "}, {"prompt": "x", "max_tokens": 0}, {"prompt": "x", "reasoning": "a"}]
)
async def test_a_question_that_makes_no_sense_is_refused(world: World, params: dict[str, Any]) -> None:
    world.add("caller", CALLER)
    async with world.running() as talk:
        assert (await talk.call("model.complete", **params))["code"] == "invalid"
