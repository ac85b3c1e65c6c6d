"""Guards: what happens to an action whose guard asks the person, does not answer, or has ended."""

import asyncio
import sys
from pathlib import Path

import pytest
from calling_extension import Person, Talk, World
from waiting import until

from zot_agent.extensions.calls.intercept_options import USUAL, InterceptOptions, read_options
from zot_core.conversation.commands import CommandError
from zot_core.events import ToolResultEvent
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

GATE = (
    "@ext.intercept('tool_call', on_error='block')\ndef gate(call):\n"
    "    if not ext.ui.confirm(f'Run {call.args}?'):\n        return block('the person said no')\n"
)


def touching(project: Path) -> ScriptedClient:
    """A model that calls bash once."""
    return ScriptedClient([Turn(calls=[Call("bash", {"command": "touch ran"})]), "ok"])


async def result(talk: Talk) -> str:
    """What the model reads as the result of its call."""
    run = talk.conversation.prompt("go")
    found = [event async for event in run if isinstance(event, ToolResultEvent)]
    return "".join(each.text for each in found[0].content if isinstance(each, TextBlock))


async def test_the_time_limit_does_not_run_while_the_person_is_asked(world: World) -> None:
    world.add("gate", GATE)
    person = Person()
    async with world.running(touching(world.root), ask=person) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: len(person.shown) == 1)
        pending = talk.extensions.subscribers.interceptors("tool_call")[0].pending
        (request,) = pending._open.values()
        assert (request.pauses, request.timer) == (1, None)
        run.cancel()
        await run
    assert not (world.root / "project" / "ran").exists()


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_guard_asks_the_person(world: World, *, allowed: bool) -> None:
    world.add("gate", GATE)
    async with world.running(touching(world.root), ask=Person(allowed)) as talk:
        text = await result(talk)
    assert (world.root / "project" / "ran").exists() is allowed
    assert allowed or text == "the person said no"


async def test_where_nobody_can_be_asked_a_guard_that_blocks_on_errors_blocks(world: World) -> None:
    world.add("gate", GATE)
    async with world.running(touching(world.root), front_end="print") as talk:
        assert await result(talk) == "a guard failed: unavailable: nobody can be asked in the mode print"
    assert not (world.root / "project" / "ran").exists()


HANG = (
    "import time\n@ext.intercept('tool_call', on_timeout={policy!r}, on_exit={policy!r})\n"
    "def hang(call):\n    {how}\n    time.sleep(3600)\n"
    "@ext.command('end')\ndef end(_):\n    import os\n    os._exit(3)\n"
)


@pytest.mark.parametrize("policy", ["allow", "block"])
@pytest.mark.parametrize("how", ["pass", "import os; os._exit(3)"])
async def test_a_guard_that_does_not_answer_does_what_it_asked_for(world: World, how: str, policy: str) -> None:
    world.add("hang", HANG.format(how=how, policy=policy))
    limits = {"intercept_seconds": 0.3 if how == "pass" else 60, "shutdown_seconds": 0.2, "kill_seconds": 0.2}
    async with world.running(touching(world.root), **limits) as talk:
        text = await result(talk)
    assert (world.root / "project" / "ran").exists() is (policy == "allow")
    assert policy == "allow" or text.startswith("extension 'hang'")
    assert policy == "allow" or text.endswith(", so this is refused")


async def test_a_guard_that_has_ended_still_blocks_until_extensions_are_reloaded(world: World) -> None:
    world.add("hang", HANG.format(how="return None", policy="block"))
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "touch ran"})]), "ok"] * 2)
    async with world.running(client) as talk:
        with pytest.raises(CommandError):
            await talk.command("end")
        assert await result(talk) == "extension 'hang' exited with code 3, so this is refused"
        assert not (world.root / "project" / "ran").exists()
        await talk.extensions.reload()
        await result(talk)
    assert (world.root / "project" / "ran").exists()


async def test_a_guard_that_cannot_be_started_again_still_blocks(world: World) -> None:
    world.add("hang", HANG.format(how="return None", policy="block"))
    async with world.running(touching(world.root)) as talk:
        with pytest.raises(CommandError):
            await talk.command("end")
        (world.root / "extensions" / "hang" / "main.py").write_text(f"#!{sys.executable}\nraise SystemExit(4)\n")
        (guard,) = talk.extensions.members
        await guard.restart(asyncio.get_running_loop().time() + 60)
        text = await result(talk)
    assert text == "extension 'hang' exited with code 4 before it said hello, so this is refused"
    assert not (world.root / "project" / "ran").exists()


async def test_a_guard_gets_more_time_once(world: World) -> None:
    body = (
        "import time\n@ext.intercept('tool_call', on_timeout='block')\ndef slow(call):\n    ext.more_time(60)\n"
        "    try:\n        ext.more_time(60)\n    except HostError as error:\n        ext.log(error.code)\n"
        "    time.sleep(5.2)\n"
    )
    world.add("slow", body)
    async with world.running(touching(world.root), intercept_seconds=5) as talk:
        await result(talk)
        assert "denied" in talk.log("slow")
    assert (world.root / "project" / "ran").exists()


async def test_the_highest_priority_is_asked_first(world: World) -> None:
    for name, priority in (("first", 0), ("last", -1), ("most", 5)):
        world.add(
            name, f"@ext.intercept('tool_call', priority={priority})\ndef no(call):\n    return block({name!r})\n"
        )
    async with world.running(touching(world.root)) as talk:
        assert [each.name for each in talk.extensions.subscribers.interceptors("tool_call")] == [
            "most",
            "first",
            "last",
        ]
        assert await result(talk) == "most"


async def test_the_system_prompt_is_asked_for_with_each_prompt_only_of_those_that_want_it(world: World) -> None:
    body = (
        "asked = 0\n@ext.intercept('before_agent_start', cadence={cadence!r})\ndef more(request):\n    global asked\n"
        "    asked += 1\n    return AgentStartDecision(f'{{request.system_prompt}} {cadence} {{asked}}')\n"
    )
    world.add("once", body.format(cadence="session"))
    world.add("each", body.format(cadence="prompt"))
    client = ScriptedClient(["a", "b"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("one")
        await talk.conversation.prompt("two")
    assert client.requests[0].system.endswith("session 1 prompt 1")
    assert client.requests[1].system.endswith("session 1 prompt 2")


async def test_an_extension_is_asked_only_about_prompts_with_one_of_its_texts(world: World) -> None:
    add = "def more(prompt):\n    return InputDecision(text=prompt.text + ' {0}')\n"
    for name, options in (("all", ""), ("some", ", contains=['@a:', '@b:']")):
        heading = f"from zot_ext import InputDecision\n@ext.intercept('input'{options})\n"
        world.add(name, heading + add.format(name), groups="")
    client = ScriptedClient(["1", "2"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("look at @b:x")
        await talk.conversation.prompt("look")
    assert [each.messages[-1].text for each in client.requests] == ["look at @b:x all some", "look all"]


def test_wrong_options_are_logged_and_a_wrong_policy_blocks() -> None:
    logged: list[str] = []
    given = {
        "tool_call": {"on_timeout": "perhaps", "priority": "high"},
        "turn_start": {"on_exit": "block"},
        "before_agent_start": {"on_exit": "block", "cadence": "prompt"},
        "weather": {},
        "assistant_message": 5,
        "input": {"contains": "@"},
        "context": {"contains": ["a"]},
    }
    found = read_options(given, logged.append)
    assert found == {
        "tool_call": InterceptOptions(blocks_on_timeout=True),
        "turn_start": InterceptOptions(blocks_on_exit=True),
        "before_agent_start": InterceptOptions(each_prompt=True),
        "input": USUAL,
        "context": InterceptOptions(contains=("a",)),
    }
    assert len(logged) == 6
    for name in ("onTimeout", "on_timout", "on-exit", "On_Exit", "on_failure"):
        assert read_options({"tool_call": {name: "block"}}, logged.append) == {
            "tool_call": InterceptOptions(True, True)
        }
        assert f"has no option {name!r}" in logged[-1]
    assert read_options({"tool_call": {"colour": 1, "on_error": "block"}}, logged.append) == {"tool_call": USUAL}
    assert read_options({}, logged.append) == {}
    assert InterceptOptions() == USUAL
