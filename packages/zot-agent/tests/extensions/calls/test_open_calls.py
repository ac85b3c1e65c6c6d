"""Calls of extensions: each gets exactly one answer, whatever the extension sends."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from calling_extension import CALLER, RAW, Person, World
from operation_faults import WRONG, example
from waiting import PATIENCE, until

import zot_agent.extensions.calls.methods as methods
from zot_agent.extensions.calls.open_calls import handler
from zot_agent.operations.names import MODULES
from zot_core.conversation.commands import CommandError
from zot_core.conversation.events import WidgetPlace
from zot_ext.protocol.calls import CALLS, reader
from zot_ext.protocol.calls.conversation import LEVELS
from zot_ext.protocol.calls.screen import PLACES
from zot_ext.protocol.events import EVENTS, INTERCEPTS
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.fields import LARGEST, CallField
from zot_ext.protocol.from_extension import CALL_GROUPS
from zot_ext.protocol.from_host import CODES
from zot_provider.request import Reasoning
from zot_provider.testing import Call, ScriptedClient, Turn


def test_every_method_has_a_handler_and_every_handler_a_method() -> None:
    handlers = [handler(method.name) for method in CALLS if method.name not in MODULES]
    folder = Path(str(methods.__file__)).parent
    found = [
        f"{path.stem}.{function}"
        for path in folder.rglob("*.py")
        for function in re.findall(r"^(?:async )?def ([a-z]\w*)\(call: Ext", path.read_text("utf-8"), re.M)
    ]
    assert sorted(found) == sorted(f"{each.__module__.rpartition('.')[2]}.{each.__name__}" for each in handlers)


async def test_a_call_without_its_group_is_denied_and_names_the_group(world: World) -> None:
    world.add("caller", CALLER, "model")
    async with world.running() as talk:
        assert (await talk.call("model.get"))["result"]["model"] == "scripted"
        answer = await talk.call("ui.confirm", title="?")
    assert answer == {
        "code": "denied",
        "error": "ui.confirm needs the group 'ui', which hello.capabilities does not have",
    }


async def test_an_extension_that_asked_for_no_group_gets_one_clear_error(world: World) -> None:
    body = (
        "@ext.command('plain')\ndef plain(_):\n    try:\n        ext.ui.confirm('?')\n"
        "    except NotGranted as error:\n        return str(error)\n"
    )
    world.add("plain", body, "")
    raw = RAW + "say(type='hello', name='raw')\nask('1', 'model.get')\nfound = until('host_result')\n"
    raw += "frame = command('raw')\n"
    raw += "show(frame, found)\n"
    world.add_raw("raw", raw)
    async with world.running() as talk:
        assert await talk.command("plain") == "ask for it: capabilities=('ui',)"
        found = json.loads(await talk.command("raw"))
    assert (found["code"], found["id"]) == ("denied", "1")


ALONE = """
import asyncio, sys
from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionSetup
from zot_core.testing import make_agent
from zot_provider.testing import ScriptedClient

async def main():
    home = sys.argv[2]
    extensions = Extensions(
        lambda: discover([sys.argv[1]], home, home), lambda: AgentInfo(home, "p", "m", ""), ExtensionSetup(home)
    )
    extensions.attach(make_agent(ScriptedClient()))
    extensions.start()
    await extensions.ready()
    assert [command.name for command in extensions.commands] == ["plain"]
    await extensions.close()
    lazy = ("open_calls", "call", "methods", "greeting", "registration_results")
    print([name for name in lazy if f"zot_agent.extensions.calls.{name}" in sys.modules])
    print("zot_core.conversation.dialogs" in sys.modules, "zot_ext.protocol.calls" in sys.modules)

asyncio.run(main())
"""


def test_nothing_of_it_is_loaded_for_an_extension_without_groups(world: World) -> None:
    world.add("plain", "@ext.command('plain')\ndef plain(_):\n    return 'x'\n", "")
    command = [sys.executable, "-c", ALONE, *world.folders, str(world.root / "zot")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "[]\nFalse False\n"


async def test_an_extension_of_the_go_zot_is_greeted_as_before(world: World) -> None:
    raw = RAW + "say(type='hello', name='raw', capabilities=['commands', 'events'])\nack = until('hello_ack')\n"
    raw += "frame = command('raw')\n"
    raw += "show(frame, ack)\n"
    world.add_raw("raw", raw)
    async with world.running(session=True) as talk:
        ack = json.loads(await talk.command("raw"))
    assert set(ack) == {
        "type", "protocol_version", "zot_version", "provider", "model", "cwd", "extension_dir", "data_dir",
        "capabilities", "session_id",
    }  # fmt: skip


async def test_an_extension_learns_which_events_its_groups_have(world: World) -> None:
    for name, groups in (("plain", ["ui"]), ("more", ["stream_events", "intercepts2"])):
        hello = f"say(type='hello', name={name!r}, capabilities={groups})\nack = until('hello_ack')\n"
        world.add_raw(name, RAW + hello + f"frame = command({name!r})\nshow(frame, ack)\n")
    async with world.running() as talk:
        plain, more = [json.loads(await talk.command(name)) for name in ("plain", "more")]
    assert (plain["supported_events"], plain["supported_intercepts"]) == ([*EVENTS], [*INTERCEPTS])
    assert more["supported_events"] == [*EVENTS, "message_update", "tool_progress"]
    assert more["supported_intercepts"] == [*INTERCEPTABLE]


async def test_what_is_wrong_with_a_call_is_said_in_one_line(world: World) -> None:
    world.add("caller", CALLER, " ".join(CALL_GROUPS))
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        ("no.such", {}, "unsupported", "unknown operation 'no.such'"),
        ("ui.confirm", {"title": "x" * (LARGEST + 1)}, "too_large", f"title has {LARGEST + 1} characters; at most"),
        ("ui.select", {}, "invalid", "title is missing: it must be a string"),
        ("ui.select", {"title": "x", "options": "a"}, "invalid", 'options must be an array of strings, not "a"'),
        ("ui.confirm", {"title": "x", "timeout_ms": True}, "invalid", "timeout_ms must be a whole number from 1 to"),
        ("kv.get", {"key": ""}, "invalid", "key is empty"),
        ("kv.get", {"key": "a", "scope": "moon"}, "invalid", "scope must be one of"),
        ("session.entry", {"entry": "no"}, "not_found", "the session has no entry 'no'"),
        ("session.rename", {"title": "x", "session": "none"}, "denied", "an extension renames the session of the conv"),
        ("exec.run", {"argv": ["true"], "cwd": "/none"}, "not_found", "cannot run a program in /none: No such file"),
        ("request.extend", {"seconds": 0}, "invalid", "seconds must be a whole number from 1 to 600, not 0"),
    ]
    async with world.running(ask=Person()) as talk:
        for method, params, code, error in cases:
            answer = await talk.call(method, **params)
            assert (answer["code"], answer["error"][: len(error)]) == (code, error)
            assert code in CODES


def faulty(param: CallField) -> Iterator[Any]:
    """Values that a parameter cannot have."""
    kind = param.kind
    if param.required:
        yield None
    if kind.type:
        yield WRONG[kind.type]
    if "maximum" in param.schema:
        yield from (1.5, param.schema["minimum"] - 1, param.schema["maximum"] + 1)
    if kind.each:
        yield from ([example(kind.each), WRONG[kind.each.type]], [None])
    if kind.choices:
        yield "other"
    if kind.least:
        yield "" if kind.type == "string" else []
    if "pattern" in param.schema:
        yield "one\ntwo"
    if 0 < kind.most < LARGEST:
        yield "x" * (kind.most + 1) if kind.type == "string" else ["x"] * (kind.most + 1)


async def test_every_parameter_that_is_wrong_is_named_with_the_words_of_the_fake_host(world: World) -> None:
    world.add("caller", CALLER, " ".join(CALL_GROUPS))
    async with world.running(ask=Person(), session=True) as talk:
        for method in CALLS:
            whole = {each.name: example(each.kind) for each in method.params if each.required}
            for param in method.params:
                for value in faulty(param):
                    asked = {**whole, param.name: value}
                    answer, problem = await talk.call(method.name, **asked), reader(method.name).problem(asked)
                    assert problem, (method.name, param.name, value)
                    assert answer["error"] == problem, (method.name, param.name)
                    assert re.match(rf"{param.name}[ \[]", problem)
        assert talk.runtime.messages == []


async def test_a_whole_number_of_a_call_may_be_written_as_a_fraction_of_one(world: World) -> None:
    world.add("caller", CALLER, "exec")
    async with world.running() as talk:
        ran = await talk.call("exec.run", argv=["true"], timeout_ms=60000.0)
        assert ran["result"]["code"] == 0


def test_every_number_of_a_call_has_bounds() -> None:
    numbers = [each for method in CALLS for each in method.params if each.kind.type == "integer"]
    assert numbers
    assert [each.name for each in numbers if not each.schema["minimum"] < each.schema["maximum"]] == []


def test_choices_that_the_protocol_repeats_are_those_of_the_host() -> None:
    assert get_args(WidgetPlace) == PLACES
    assert get_args(Reasoning) == LEVELS


BROKEN = [
    {},
    {"id": 5, "method": "model.get"},
    {"id": "x1"},
    {"id": "x2", "method": 3},
    {"id": "x3", "method": "model.get", "params": []},
    {"id": "x4", "method": "model.get", "params": "{}"},
    {"id": "x5", "method": "model.get", "parent_id": 1},
    {"id": "x6", "method": "model.get", "session_id": {}},
    {"id": "x7", "method": "model.get", "parent_id": "nobody"},
    {"id": "x8", "method": "model.get", "session_id": "another"},
    {"id": "x9", "method": "ui.pick", "params": {"title": "t", "rows": [5]}},
    {"id": "x10", "method": "ui.form", "params": {"title": "t", "fields": [{"kind": "moon"}]}},
]


async def test_frames_with_missing_and_wrong_fields_do_no_harm(world: World) -> None:
    raw = RAW + "say(type='hello', name='raw', capabilities=['model', 'ui', 'cancel'])\n"
    raw += "frame = command('raw')\n"
    raw += f"for each in {BROKEN!r}: say(type='host_call', **each)\n"
    raw += "for each in ({}, {'id': 1}, {'id': 'nobody'}): say(type='cancel', **each)\n"
    raw += "ask('last', 'model.get', parent_id=frame['id'])\nfound = {}\n"
    raw += "while 'last' not in found:\n    each = until('host_result')\n    found[each['id']] = each.get('code', '')\n"
    raw += "show(frame, found)\n"
    world.add_raw("raw", raw)
    async with world.running(ask=Person()) as talk:
        found = json.loads(await talk.command("raw"))
    assert found == {
        "x1": "unsupported", "x2": "invalid", "x3": "invalid", "x4": "invalid", "x5": "invalid", "x6": "invalid",
        "x7": "not_found", "x8": "stale_session", "x9": "invalid", "x10": "invalid", "last": "",
    }  # fmt: skip
    assert "the id '' of a host_call is empty or in use" in talk.log("raw")


async def test_a_call_that_is_too_large_is_answered_if_its_id_can_be_read(world: World) -> None:
    raw = RAW + "say(type='hello', name='raw', capabilities=['exec', 'tools2', 'call_tool'])\n"
    raw += "frame, much = command('raw'), 'x' * (5 << 20)\n"
    raw += "ask('1', 'exec.run', params={'argv': [much]})\n"
    raw += "say(type='call_tool', id='2', name='read', args={'path': much})\n"
    raw += "found = [result('1')['code'], until('tool_result')['content'][0]['text']]\nshow(frame, found)\n"
    world.add_raw("raw", raw)
    async with world.running() as talk:
        found = json.loads(await talk.command("raw"))
    assert found == ["too_large", "call_tool frame: line is longer than 4194304 bytes"]


async def test_ten_thousand_open_calls_are_answered_and_hold_nobody(world: World) -> None:
    raw = RAW + "say(type='hello', name='raw', capabilities=['ui'])\n"
    raw += "frame = command('raw')\n"
    raw += 'call = \'{"type":"host_call","id":"%d","method":"ui.confirm","params":{"title":"?"}}\\n\'\n'
    raw += "sys.stdout.write(''.join(call % n for n in range(10_000)))\nsys.stdout.flush()\n"
    raw += "found = [until('host_result')['code'] for _ in range(10_000 - 256)]\n"
    raw += "show(frame, ' '.join(sorted(set(found))))\n"
    world.add_raw("raw", raw)
    world.add("other", "@ext.command('other')\ndef other(_):\n    return 'here'\n")
    person = Person()
    async with world.running(ask=person) as talk:
        flooding = asyncio.create_task(talk.command("raw"))
        await until(lambda: len(person.shown) == 256)
        assert await talk.extensions.run_command("other")
        assert await flooding == "busy"
    assert len(person.shown) == len(person.closed) == 256


async def test_a_dialog_ends_with_its_extension(world: World) -> None:
    world.add("gone", "@ext.command('gone')\ndef gone(_):\n    ext.ui.confirm('stay?')\n")
    person = Person()
    async with world.running(ask=person, kill_seconds=0.2, shutdown_seconds=0.2) as talk:
        asked = asyncio.create_task(talk.command("gone"))
        await until(lambda: len(person.shown) == 1)
        await talk.extensions.reload()
        with pytest.raises(CommandError):
            await asked
        await until(lambda: person.closed == ["stay?"])


async def test_a_dialog_ends_with_the_request_it_belongs_to_and_the_handler_learns_of_it(world: World) -> None:
    body = (
        "@ext.tool\ndef ask() -> str:\n    'Ask.'\n    try:\n        ext.ui.confirm('wait?')\n"
        "    except HostError as error:\n        ext.log(f'got {error.code}, cancelled: {ext.cancelled}')\n"
    )
    world.add("slow", body)
    person = Person()
    client = ScriptedClient([Turn(calls=[Call("ask", {})])])
    async with world.running(client, ask=person) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: len(person.shown) == 1)
        run.cancel()
        assert await run == "aborted"
        await until(lambda: person.closed == ["wait?"])
        await until(lambda: "got cancelled, cancelled: True" in talk.log("slow"))


async def test_a_coroutine_is_cancelled_with_its_request(world: World) -> None:
    body = (
        "import asyncio\n@ext.tool\nasync def ask() -> str:\n    'Ask.'\n    ext.log('asked')\n    try:\n"
        "        await asyncio.sleep(3600)\n    finally:\n        ext.log('it was cancelled')\n"
    )
    world.add("slow", body)
    async with world.running(ScriptedClient([Turn(calls=[Call("ask", {})])])) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: "asked" in talk.log("slow"))
        run.cancel()
        assert await run == "aborted"
        await until(lambda: "it was cancelled" in talk.log("slow"))


async def test_an_extension_takes_a_call_back(world: World) -> None:
    raw = RAW + "say(type='hello', name='raw', capabilities=['ui'])\n"
    raw += "frame = command('raw')\n"
    raw += "ask('1', 'ui.confirm', params={'title': '?'})\nsay(type='cancel', id='1')\nfound = result('1')\n"
    raw += "show(frame, found['code'])\n"
    world.add_raw("raw", raw)
    person = Person()
    async with world.running(ask=person) as talk:
        assert await talk.command("raw") == "cancelled"
        await until(lambda: len(person.closed) == len(person.shown))


async def test_calls_after_shutdown_are_not_carried_out(world: World) -> None:
    raw = RAW + "say(type='hello', name='raw', capabilities=['session'])\nsay(type='ready')\nuntil('shutdown')\n"
    raw += "ask('1', 'session.append', params={'custom_type': 'late', 'data': 1})\nsay(type='shutdown_ack')\n"
    world.add_raw("raw", raw)
    async with world.running() as talk:
        await talk.extensions.close()
        assert (await talk.conversation.branches.tree()).ids == []


async def test_a_result_that_is_too_large_is_refused(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running(result_bytes=50) as talk:
        assert (await talk.call("model.get"))["code"] == "too_large"


async def test_registrations_are_answered_and_again_when_they_change(world: World) -> None:
    taken = "@ext.command('mine')\ndef mine(_):\n    return 'first'\n"
    world.add("first", taken + "@ext.command('end')\ndef end(_):\n    import os\n    os._exit(0)\n", "")
    raw = RAW + "say(type='hello', name='raw', capabilities=['registration_result'])\n"
    raw += "for name in ('mine', 'other', 'not a name'): say(type='register_command', name=name)\n"
    raw += "say(type='register_tool', name='bash', description='', schema={})\n"
    raw += "say(type='subscribe', intercept=['weather'])\nsay(type='ready')\n"
    raw += "found = []\nwhile True:\n    frame = read()\n    if frame['type'] == 'shutdown': break\n"
    raw += "    if frame['type'] == 'registration_result': found.append(f\"{frame['name']} {frame['status']}\")\n"
    raw += "    if frame['type'] == 'command_invoked':\n"
    raw += "        say(type='command_response', id=frame['id'], action='display', display=', '.join(found))\n"
    world.add_raw("raw", raw)
    async with world.running() as talk:
        known = set((await talk.command("other")).split(", "))
        expected = {"mine shadowed", "other ok", "not a name rejected", "bash shadowed", "weather rejected"}
        assert known == expected or known == expected | {"mine ok"}  # it may have registered first
        with pytest.raises(CommandError):
            await talk.command("end")
        assert (await talk.command("mine")).endswith("mine ok")
