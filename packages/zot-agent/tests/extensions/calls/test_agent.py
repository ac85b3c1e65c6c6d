"""Messages, control and models: what extensions do with the agent."""

import asyncio
from typing import Any

import pytest
from calling_extension import CALLER, Person, Talk, World
from waiting import until

from zot_core.conversation.commands import CommandError
from zot_core.conversation.events import MessageAdded
from zot_core.conversation.extensions import FrontEndActions
from zot_core.events import Done, TurnStart
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
        assert await send(talk, "from me", display_text="shown", custom_type="note", details=[1]) == "started"
        await talk.conversation.idle()
        message = talk.runtime.messages[0]
        assert (message.text, message.display_text) == ("from me", "shown")
        assert (message.extension, message.custom_type, message.details) == ("caller", "note", "[1]")
        entries = (await talk.call("session.entries", content=True))["result"]["entries"]
        assert (entries[0]["custom_type"], entries[0]["details"]) == ("note", [1])
        assert entries[0]["time"].endswith("Z")
        assert await send(talk, "later", deliver_as="next_turn", hidden=True) == "kept"
        assert await send(talk, "too", trigger=False) == "kept"
        assert not talk.conversation.busy
        assert [(each.message.text, each.message.hidden) for each in talk.told if isinstance(each, MessageAdded)] == [
            ("later", "sent by extension caller"),
            ("too", ""),
        ]
        stored = (await talk.call("session.entries"))["result"]["entries"]
        assert [each["text"] for each in stored if each["kind"] == "user"] == ["shown", "", "too"]
        await talk.conversation.prompt("now")
        assert read(client) == ["from me", "later", "too", "now"]
        assert await send(talk, " ") == await send(talk, "x", deliver_as="pigeon") == "invalid"


async def test_a_message_for_the_next_prompt_is_added_once_the_run_has_ended(world: World) -> None:
    body = (
        "@ext.tool\ndef work() -> str:\n    'Work.'\n"
        "    ext.messages.send('for later', deliver_as='next_turn')\n    return 'done'\n"
    )
    world.add("worker", body)
    client = ScriptedClient([Turn(calls=[Call("work", {})]), "b", "c"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        assert [message.role for message in talk.runtime.messages] == ["user", "assistant", "tool", "assistant", "user"]
        kinds = [type(event) for event in talk.told]
        assert kinds.index(MessageAdded) > kinds.index(Done)
        await talk.conversation.prompt("on")
    assert read(client, 1) == ["go"]
    assert read(client, 2) == ["go", "for later", "on"]


@pytest.mark.parametrize("trigger", [True, False])
async def test_a_message_of_a_command_that_runs_as_a_prompt_is_not_lost(world: World, trigger: bool) -> None:
    world.add("teller", f"@ext.command('tell')\ndef tell(text):\n    ext.messages.send(text, trigger={trigger})\n")
    client = ScriptedClient(["a"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("/tell it")
        await talk.conversation.idle()
        assert talk.runtime.messages[0].text == "it"
        assert len(client.requests) == (1 if trigger else 0)


async def test_messages_that_nobody_reads_are_limited(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running() as talk:
        for n in range(100):
            assert await send(talk, f"{n}", trigger=False) == "kept"
        assert await send(talk, "one more", trigger=False) == "busy"


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


async def test_a_command_that_is_sent_during_a_run_is_run_after_it(world: World) -> None:
    body = (
        "@ext.tool\ndef work() -> str:\n    'Work.'\n"
        "    ext.messages.send('/later on', expand=True)\n    return 'done'\n"
        "@ext.command('later')\ndef later(args):\n    ext.log('later', args, ext.control.state()['message_count'])\n"
    )
    world.add("worker", body)
    client = ScriptedClient([Turn(calls=[Call("work", {})]), "b"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        await talk.conversation.idle()
        assert "later on 4" in talk.log("worker")
    assert len(client.requests) == 2


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
        actions = talk.conversation.actions
        talk.conversation.actions = actions.replace(refusal=lambda: "only one prompt is answered in this mode")
        assert await send(talk, "hello") == "unavailable"
        assert await send(talk, "hello", deliver_as="next_turn") == "kept"


async def test_an_extension_sees_stops_and_awaits_the_work(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "sleep 3600"})])])
    async with world.running(client) as talk:
        assert not (await talk.call("control.state"))["result"]["busy"]
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(event, "type", "") == "tool_call" for event in talk.told))
        state = (await talk.call("control.state"))["result"]
        assert (state["busy"], state["model"]) == (True, "scripted")
        assert (state["cwd"], state["permission_requests"], state["ui_requests"]) == (talk.runtime.cwd, [], [])
        session = (await talk.call("session.info"))["result"]
        assert (session["cwd"], session["branch"], session["title"]) == (talk.runtime.cwd, "", "")
        assert (await talk.call("control.context"))["result"]["tokens"] > 0
        waiting = asyncio.create_task(talk.command("call", '{"method": "control.wait_idle", "params": {}}'))
        assert "result" in await talk.call("control.abort")
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
        answer = await talk.call("control.compact", instructions="keep the numbers", wait=True)
        assert answer == {"result": {"started": True, "end": "completed"}}
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


async def test_a_model_calls_tools_that_the_extension_runs_and_reads_their_results(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn("look", calls=[Call("count", {"text": "tea"})]), "three"])
    tool = {"name": "count", "description": "Count letters", "schema": {"type": "object", "properties": {}}}
    asked = {"role": "user", "content": [{"type": "text", "text": "how many?"}]}
    async with world.running(client) as talk:
        first = (await talk.call("model.complete", messages=[asked], tools=[tool]))["result"]
        call = first["content"][1]
        assert (first["stop"], first["text"], call["name"]) == ("tool_use", "look", "count")
        result = {"type": "tool_result", "call_id": call["id"], "content": [{"type": "text", "text": "3"}, IMAGE]}
        messages = [asked, {"role": "assistant", "content": first["content"]}, {"role": "tool", "content": [result]}]
        assert (await talk.call("model.complete", messages=messages, tools=[tool]))["result"]["text"] == "three"
        for wrong in (
            {"tools": [{"name": "x"}]},
            {"tools": [{**tool, "schema": 1}]},
            {"tools": [{**tool, "name": ""}]},
        ):
            assert (await talk.call("model.complete", messages=[asked], **wrong))["code"] == "invalid"
        for content in ([], [{"type": "tool_call", "id": "1", "name": "x"}], "text"):
            answer = await talk.call("model.complete", messages=[{"role": "user", "content": content}])
            assert answer["code"] == "invalid"
            assert answer["error"].startswith("messages[0]: ")
    assert [each.name for each in client.requests[0].tools] == ["count"]
    assert [each.role for each in client.requests[1].messages] == ["user", "assistant", "tool"]


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "mime_type": "image/png", "data": PNG}


async def test_a_message_and_a_question_may_have_images(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient(["a", "b"])
    async with world.running(client) as talk:
        assert await send(talk, "", images=[{"data": PNG}]) == "started"
        await talk.conversation.idle()
        messages = [
            {"role": "user", "text": "see", "images": [{"data": PNG}]},
            {"role": "assistant", "text": "I see"},
            {"role": "user", "text": "what?"},
        ]
        answer = await talk.call("model.complete", messages=messages)
        assert answer["result"]["text"] == "b"
        for wrong in ([5], [{}], [{"data": "%"}], [{"data": "AAAA"}]):
            assert await send(talk, "x", images=wrong) == "invalid"
        for asked in (
            {},
            {"prompt": "x", "messages": messages},
            {"messages": []},
            {"messages": messages[:2]},
            {"messages": [{"role": "tool", "text": "x"}]},
            {"messages": [{"role": "user", "text": " "}]},
            {"messages": [{**messages[0], "role": "assistant"}, messages[2]]},
        ):
            assert (await talk.call("model.complete", **asked))["code"] == "invalid"
    assert [block.type for block in client.requests[0].messages[0].content] == ["image"]
    asked_last = client.requests[1].messages
    assert [(message.role, message.text) for message in asked_last] == [
        ("user", "see"), ("assistant", "I see"), ("user", "what?"),
    ]  # fmt: skip


async def test_a_message_that_is_waited_for_is_read_or_cancelled(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient(["a", Turn(calls=[Call("bash", {"command": "sleep 3600"})])])
    async with world.running(client) as talk:
        assert await send(talk, "one", wait=True) == "read"
        assert await send(talk, "later", wait=True, deliver_as="next_turn") == "invalid"
        await talk.conversation.idle()
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(event, "type", "") == "tool_call" for event in talk.told))
        waiting = [asyncio.create_task(send(talk, text, wait=True, deliver_as=how)) for text, how in TWO]
        await until(lambda: len(talk.conversation.unread) == 2)
        assert talk.conversation.stop() == []  # they are not the person's
        assert await run == "aborted"
        assert [await each for each in waiting] == ["cancelled", "cancelled"]


TWO = (("soon", "steer"), ("then", "follow_up"))


async def test_more_messages_than_the_model_can_read_are_refused(world: World) -> None:
    body = (
        "@ext.tool\ndef work() -> str:\n    'Work.'\n    for n in range(100):\n        ext.messages.send(str(n))\n"
        "    try:\n        ext.messages.send('one more')\n    except HostError as error:\n        code = error.code\n"
        "    try:\n        ext.messages.send('stuck', wait=True)\n    except HostError as error:\n"
        "        return f'{code} {error.code}'\n"
    )
    world.add("worker", body)
    async with world.running(ScriptedClient([Turn(calls=[Call("work", {})]), *["b"] * 101])) as talk:
        await talk.conversation.prompt("go")
        assert "busy busy" in str(talk.runtime.messages[2].content)


async def test_the_prompt_the_commands_the_skills_and_the_models_are_listed(world: World) -> None:
    world.add("caller", CALLER)
    body = (
        "@ext.intercept('before_agent_start')\ndef start(request):\n"
        "    return AgentStartDecision(system_prompt=request.system_prompt + ' Be brief.')\n"
    )
    world.add("brief", body)
    async with world.running(ScriptedClient(["a"])) as talk:
        before = (await talk.call("control.system_prompt"))["result"]
        assert before["text"] == before["base"]
        await talk.conversation.prompt("go")
        after = (await talk.call("control.system_prompt"))["result"]
        assert after == {"text": before["base"] + " Be brief.", "base": before["base"]}
        commands = (await talk.call("control.commands"))["result"]["commands"]
        own = {"name": "call", "description": "", "kind": "extension", "source": "caller", "arguments": "", "path": ""}
        assert own in commands
        assert (await talk.call("control.skills"))["result"] == {"skills": []}
        assert [each["id"] for each in (await talk.call("model.list"))["result"]["models"]] == ["scripted"]
        assert (await talk.call("model.list", scope="moon"))["code"] == "invalid"
        assert talk.extensions.owner is not None
        talk.extensions.owner.favourites = lambda: ("second", "", "first")
        listed = (await talk.call("model.list", scope="favourites"))["result"]["models"]
        assert [each["id"] for each in listed] == ["second", "first"]
        assert (await talk.call("model.reasoning", reasoning="high"))["result"]["reasoning"] == "high"
        assert (await talk.call("model.reasoning", reasoning="much"))["code"] == "invalid"


async def test_a_command_restarts_all_extensions_and_what_they_had_open_ends(world: World) -> None:
    person = Person()
    world.add("caller", CALLER)
    world.add("asker", "@ext.command('ask')\ndef ask(_):\n    return str(ext.ui.confirm('Well?'))\n")
    async with world.running(ask=person) as talk:
        before = [member.connection.pid for member in talk.extensions.members if member.connection is not None]
        asking = asyncio.create_task(talk.command("ask"))
        await until(lambda: bool(person.shown))
        assert await talk.call("control.reload") == {"result": {}}
        with pytest.raises(CommandError):
            await asking
        assert person.closed == ["Well?"]
        await until(lambda: len(talk.extensions.commands) == 2)
        await talk.extensions.ready()
        after = [member.connection.pid for member in talk.extensions.members if member.connection is not None]
        assert not set(before) & set(after)
        assert not (await talk.call("control.state"))["result"]["busy"]


async def test_zot_ends_for_an_extension_once_it_is_idle(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "sleep 3600"})])])
    ended: list[bool] = []
    async with world.running(client) as talk:
        assert (await talk.call("control.shutdown"))["code"] == "unavailable"
        talk.conversation.actions = FrontEndActions(quit=lambda: ended.append(talk.conversation.busy))
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(event, "type", "") == "tool_call" for event in talk.told))
        assert await talk.call("control.shutdown") == {"result": {}}
        assert ended == []
        run.cancel()
        await until(lambda: bool(ended))
        assert ended == [False]
