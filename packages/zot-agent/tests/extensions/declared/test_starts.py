"""Nothing of an unfinished or failed start is remembered, and a guard that is not there is not forgotten: real
processes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from calling_extension import RAW, Talk, World
from waiting import until

from zot_agent.extensions.discover import DiscoveredExtension
from zot_core.conversation.events import Notify
from zot_core.events import ErrorEvent, ToolResultEvent
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

HASTE: dict[str, Any] = {
    "ready_total_seconds": 0.05,
    "start_delay_seconds": 600.0,
    "remembered_seconds": 0.2,
    "shutdown_seconds": 0.1,
}
"""Nobody waits long, also not for one that hears nothing at its gate."""
BLOCK = {"tool_call": {"on_timeout": "block", "on_exit": "block"}}
GUARD = (
    "@ext.intercept('tool_call', on_timeout='block', on_exit='block')\ndef guard(call):\n    return block('not that')\n"
)
GATED = """
import os, time
say(type="hello", name="slow", capabilities=["tools", "commands", "events"])
while not os.path.exists("../../gate"):
    time.sleep(0.02)
say(type="register_tool", name="go", description="", schema={})
say(type="subscribe", events=[], intercept=["tool_call"], intercept_options={"tool_call": {"on_timeout": "block"}})
say(type="ready")
while True:
    frame = read()
    if frame["type"] == "event_intercept":
        say(type="event_intercept_response", id=frame["id"], block=True, reason="not that")
    if frame["type"] == "tool_call":
        say(type="tool_result", id=frame["id"], content=[{"type": "text", "text": "went"}])
    if frame["type"] == "shutdown":
        sys.exit()
"""
"""Says hello at once, and registers when the file `gate` is there."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def touches(world: World) -> ScriptedClient:
    """A model that makes the file `ran`."""
    return ScriptedClient([Turn(calls=[Call("bash", {"command": "touch ran"})]), "done"])


async def results(talk: Talk) -> list[tuple[str, bool]]:
    """What the model reads of its calls."""
    found = [event async for event in talk.conversation.prompt("go") if isinstance(event, ToolResultEvent)]
    return [("".join(b.text for b in each.content if isinstance(b, TextBlock)), each.is_error) for each in found]


def notes(talk: Talk) -> list[str]:
    return [each.message for each in talk.told if isinstance(each, Notify)]


def remembered(world: World) -> list[Path]:
    folder = world.root / "zot" / "remembered"
    return sorted(folder.iterdir()) if folder.exists() else []


def ran(world: World) -> bool:
    return (world.root / "project" / "ran").exists()


def slow(world: World, **fields: Any) -> Path:
    """Add the extension `slow`; return its gate."""
    world.add_raw("slow", RAW + GATED)
    world.declare("slow", remember=True, **fields)
    return world.root / "gate"


async def test_an_empty_registration_of_a_slow_start_is_not_kept(world: World) -> None:
    gate = slow(world)
    async with world.running(touches(world), **HASTE):
        pass
    assert remembered(world) == []
    gate.touch()
    async with world.running(touches(world)) as talk:
        assert await results(talk) == [("not that", True)]
    assert len(remembered(world)) == 1


async def test_a_process_that_is_only_silent_has_not_registered_all_that_is_remembered(world: World) -> None:
    gate = slow(world)
    gate.touch()
    async with world.running():
        pass
    before = [each.read_bytes() for each in remembered(world)]
    gate.unlink()
    haste = {**HASTE, "ready_idle_seconds": 0.01, "shutdown_seconds": 0.2}
    async with world.running(touches(world), **haste) as talk:
        ((text, failed),) = await results(talk)
        assert (text, failed) == ("extension 'slow' was not ready within 0.2 s, so this is refused", True)
        assert [each.name for each in talk.extensions.tools] == ["go"]
    assert [each.read_bytes() for each in remembered(world)] == before
    assert not ran(world)


async def test_a_start_that_ends_after_nobody_waited_any_more_is_whole_and_is_kept(world: World) -> None:
    gate = slow(world)
    client = ScriptedClient(["hello", Turn(calls=[Call("go", {})]), "done", "bye"])
    async with world.running(client, ready_total_seconds=0, ready_idle_seconds=600) as talk:
        assert await results(talk) == []
        assert [spec.name for spec in client.requests[0].tools if spec.name == "go"] == []
        gate.touch()
        await until(lambda: bool(talk.extensions.tools))
        await until(lambda: len(remembered(world)) == 1)
        assert await results(talk) == [("not that", True)]
        read = [each.text for each in client.requests[-1].messages if each.text.startswith("[the tools")]
    about = "[the tools of extension slow are"
    assert read == [f"{about} not there]", f"{about} there now]"]


async def test_the_tools_of_a_part_that_could_not_be_started_are_not_offered_until_it_could_be(world: World) -> None:
    body = """
import os
parts = ["one", "two"]
for name in parts:
    if os.path.exists(f"../../{name}"):
        ext.tool(name=name, description="a tool", schema={"type": "object"})(lambda args, name=name: f"{name} works")
    else:
        ext.missing.append(f"{name} cannot be reached")
"""
    world.add("parts", body)
    world.declare("parts", remember=True)
    for name in ("one", "two"):
        (world.root / name).touch()
    async with world.running():
        pass
    (world.root / "two").unlink()
    client = ScriptedClient([Turn(calls=[Call("one", {}), Call("two", {})]), "done"])
    async with world.running(client) as talk:
        assert [each.name for each in talk.extensions.tools] == ["one", "two"]
        one, two = await results(talk)
        assert one == ("one works", False)
        assert two == ("two cannot run: extension 'parts' does not have two any more", True)
        assert [each.name for each in talk.extensions.tools] == ["one"]
        assert talk.extensions.members[0].progress.absence == "two cannot be reached"
    said = "[some tools of extension parts are not there]"
    assert said in [each.text for each in client.requests[-1].messages]
    for there in (["one"], ["one", "two"]):  # each run waits for what the program registers
        client = ScriptedClient(["done"])
        async with world.running(client) as talk:
            await results(talk)
        assert [spec.name for spec in client.requests[0].tools if spec.name in ("one", "two")] == there
        assert (said in [each.text for each in client.requests[0].messages]) is (len(there) < 2)
        (world.root / "two").touch()
    async with world.running(**HASTE) as talk:
        assert [each.name for each in talk.extensions.tools] == ["one", "two"]


async def test_what_fails_in_on_hello_makes_a_start_incomplete(world: World) -> None:
    world.add("hello", "@ext.on_hello\ndef begin(host):\n    raise ValueError('no policy')\n")
    world.declare("hello", remember=True)
    async with world.running() as talk:
        assert talk.extensions.members[0].progress.absence == "on_hello failed: ValueError: no policy"
    assert remembered(world) == []


FAILURES: dict[str, dict[str, Any]] = {
    "its program is gone": {"exec": "./nothing"},
    "it ends before it says hello": {"exec": "/bin/false"},
    "it never says hello": {"exec": "/bin/sleep", "args": ["600"]},
    "it says something else": {"exec": "/bin/echo", "args": ["hello"]},
}


@pytest.mark.parametrize("fields", FAILURES.values(), ids=FAILURES)
async def test_a_declared_guard_that_is_not_there_refuses(world: World, fields: dict[str, Any]) -> None:
    world.add("guard", GUARD)
    world.declare("guard", guards=BLOCK, **fields)
    async with world.running(touches(world), **HASTE | {"hello_seconds": 1}) as talk:
        ((text, failed),) = await results(talk)
    assert failed
    assert text.startswith("extension 'guard' ")
    assert text.endswith(", so this is refused")
    assert not ran(world)


@pytest.mark.parametrize("fields", FAILURES.values(), ids=FAILURES)
async def test_a_declared_guard_with_the_default_lets_the_call_run_and_a_line_names_it(
    world: World, fields: dict[str, Any]
) -> None:
    world.add("guard", GUARD)
    world.declare("guard", guards={"tool_call": {}}, **fields)
    async with world.running(touches(world), **HASTE | {"hello_seconds": 1}) as talk:
        assert [failed for _, failed in await results(talk)] == [False]
        (line,) = [each for each in notes(talk) if each.startswith("no answer to the intercept tool_call")]
    assert "extension 'guard'" in line
    assert line.endswith("; the action continues")
    assert ran(world)


async def test_a_declared_guard_that_takes_its_time_is_waited_for_by_the_call(world: World) -> None:
    gate = slow(world, guards=BLOCK)
    limits = {"ready_total_seconds": 0.05, "ready_idle_seconds": 0.01, "remembered_seconds": 60}
    async with world.running(touches(world), **limits) as talk:
        asked = asyncio.create_task(results(talk))
        await until(lambda: bool(talk.client.requests))
        gate.touch()
        assert await asked == [("not that", True)]


async def test_a_declared_guard_that_never_intercepts_is_not_there(world: World) -> None:
    world.add("guard", "@ext.command('x')\ndef x(args):\n    return 'x'\n")
    world.declare("guard", guards=BLOCK)
    async with world.running(touches(world)) as talk:
        assert await talk.command("x") == "x"
        ((text, failed),) = await results(talk)
    assert failed
    assert text == "extension 'guard' does not do this, though its manifest says so, so this is refused"
    assert not ran(world)


PLAIN = """
say(type="hello", name="plain", capabilities=["events"])
say(type="subscribe", events=[], intercept=["tool_call"])
while (frame := read())["type"] != "shutdown":
    if frame["type"] == "event_intercept":
        say(type="event_intercept_response", id=frame["id"], block=True, reason="not that")
"""


async def test_a_declared_guard_that_sends_no_ready_frame_is_there_once_it_has_subscribed(world: World) -> None:
    world.add_raw("plain", RAW + PLAIN)
    world.declare("plain", guards=BLOCK)
    async with world.running(touches(world)) as talk:
        assert await results(talk) == [("not that", True)]
        assert talk.extensions.members[0].progress.absence == ""


async def test_a_program_cannot_loosen_what_its_manifest_declares(world: World) -> None:
    world.add("guard", "import os\n@ext.intercept('tool_call', on_exit='allow')\ndef guard(call):\n    os._exit(3)\n")
    world.declare("guard", guards={"tool_call": {"on_exit": "block"}})
    async with world.running(touches(world)) as talk:
        assert await results(talk) == [("extension 'guard' exited with code 3, so this is refused", True)]
    assert not ran(world)


async def test_a_guard_that_has_changed_and_does_not_start_any_more_still_refuses(world: World) -> None:
    world.add("guard", GUARD)
    world.declare("guard", remember=True)
    async with world.running():
        pass
    (world.root / "extensions" / "guard" / "main.py").write_text("#!/bin/sh\nexit 1\n")
    for _ in range(2):
        async with world.running(touches(world)) as talk:
            ((text, failed),) = await results(talk)
            assert failed
            assert "exited with code 1 before it said hello" in text
            await talk.extensions.reload()
            assert talk.extensions.subscribers.interceptors("tool_call", "bash")
    assert not ran(world)


async def test_a_complete_start_without_the_guard_gives_it_up(world: World) -> None:
    world.add("guard", GUARD)
    world.declare("guard", remember=True)
    async with world.running():
        pass
    program = world.root / "extensions" / "guard" / "main.py"
    program.write_text(program.read_text().replace(GUARD, ""))
    for _ in range(2):
        async with world.running(touches(world)) as talk:
            assert [failed for _, failed in await results(talk)] == [False]


async def test_a_guard_that_waits_for_the_person_refuses_until_they_have_decided(world: World) -> None:
    world.add("guard", GUARD)
    world.declare("guard", guards=BLOCK)
    find = world.find

    def undecided() -> Any:
        discovery = find()
        for each in discovery.found:
            each.scope, each.untrusted, each.undecided = "global", True, True
        return discovery

    world.find = undecided  # type: ignore[method-assign]
    async with world.running(touches(world)) as talk:
        ((text, failed),) = await results(talk)
    assert failed
    assert text.startswith("extension 'guard' cannot be started")
    assert not ran(world)


async def test_a_sign_in_makes_the_next_run_wait_for_what_is_registered_then(world: World) -> None:
    body = """
import os
if os.path.exists("../../signed"):
    ext.tool(name="more", description="", schema={"type": "object"})(lambda args: "more")
@ext.command("login")
def login(args):
    ext.secrets.set("token", "t0ken")
    open("../../signed", "w").close()
    return "signed in"
"""
    world.add("service", body)
    world.declare("service", remember=True)
    async with world.running():
        pass
    async with world.running(**HASTE | {"remembered_seconds": 60}) as talk:
        assert talk.extensions.members[0].late is not None
        assert await talk.command("login") == "signed in"
    async with world.running() as talk:
        assert talk.extensions.members[0].late is None
        assert [each.name for each in talk.extensions.tools] == ["more"]
    async with world.running(**HASTE) as talk:
        assert [each.name for each in talk.extensions.tools] == ["more"]


async def test_with_strict_no_model_is_asked_and_no_command_runs_while_something_is_missing(world: World) -> None:
    world.add("guard", GUARD)
    world.declare("guard", exec="/bin/false")
    world.add("other", "@ext.command('x')\ndef x(args):\n    return 'x'\n")
    client = touches(world)
    async with world.running(client, strict=True) as talk:
        errors = [each async for each in talk.conversation.prompt("go") if isinstance(each, ErrorEvent)]
        ended = [each async for each in talk.conversation.prompt("/x") if isinstance(each, ErrorEvent)]
    for each in (*errors, *ended):
        assert each.exit_code == 2
        assert each.message.startswith("--strict-extensions: extension guard is not there: exited with code 1")
    assert (len(errors), len(ended)) == (1, 1)
    assert client.requests == []


async def test_what_waits_is_remembered_only_by_those_who_have_said_that_they_are_ready(world: World) -> None:
    """An extension without `ready` may be silent because it is slow: it is waited for at each start."""
    world.add_raw("quiet", RAW + 'say(type="hello", name="quiet", capabilities=[])\nuntil("shutdown")\n')
    world.declare("quiet", remember=True)
    async with world.running() as talk:
        assert talk.extensions.members[0].running
    assert remembered(world) == []


async def test_the_guards_of_extensions_in_one_process_are_those_of_all(world: World) -> None:
    from zot_agent.extensions.declared.pi_process import share_process
    from zot_ext.manifest import parse_manifest

    found = world.find()
    for name, guards in (("a", {"tool_call": {"on_exit": "block"}}), ("b", {"tool_call": {"on_timeout": "block"}})):
        manifest = parse_manifest(json.dumps({"name": name, "pi": ["x.ts"], "guards": guards}))
        found.found.append(DiscoveredExtension(name, "/x", "explicit", manifest, pi=("/x/x.ts",)))
    share_process(found)
    shared = found.found[-1].manifest.guards
    assert shared is not None
    assert shared.value == {"tool_call": {"on_exit": "block", "on_timeout": "block"}}
    assert all(each.manifest.guards is None for each in found.found[:-1])
