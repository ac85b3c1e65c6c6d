"""Calls of an extension whose manifest has `permissions`."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from calling_extension import CALLER, RAW, Talk, World
from operation_faults import example

from zot_agent.extensions.calls.completers import CompleterSet
from zot_agent.operations.registry import all_operations
from zot_core.conversation.extensions import FrontEndActions
from zot_ext.protocol.events.questions import RENDERED
from zot_provider.testing import Call, ScriptedClient, Turn

FREE = {"read": True, "write": True, "network": True, "exec": True, "commands": True}
"""What the system need not keep it to."""


def permit(world: World, name: str, **permissions: object) -> None:
    path = world.root / "extensions" / name / "extension.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"permissions": FREE | permissions}))


async def test_a_call_that_its_permissions_do_not_name_is_denied(world: World) -> None:
    world.add("caller", CALLER)
    permit(world, "caller", calls=["model.get", "session.*", "messages.*"])
    async with world.running() as talk:
        assert (await talk.call("model.get"))["result"]["model"] == "scripted"
        for method in ("session.list", "session.read", "session.new"):
            assert (await talk.call(method, session="x"))["code"] == "denied", method
        for method in ("model.complete", "session.entries", "messages.send", "kv.get"):
            answer = await talk.call(method, prompt="x", key="k", text="t")
            assert answer == {
                "code": "denied",
                "error": f"the call {method!r} is refused: the permissions of its manifest do not have it",
            }
        assert "the call 'session.entries' is refused" in talk.log("caller")


async def test_no_operation_shows_what_is_said_to_an_extension_that_may_not_read_it(world: World) -> None:
    world.add("caller", CALLER, "ui messages session storage control model tools2 cancel")
    permit(world, "caller", calls=True, submit=True, restore=True)
    said = {kind: f"what-the-{kind}-says" for kind in ("system", "person", "model", "call")}
    turn = Turn(said["model"], calls=[Call("bash", {"command": f"echo {said['call']}"})])
    waits = {"control.wait_idle", "control.reload", "control.compact"}
    found = {}
    async with world.running(ScriptedClient([turn, said["model"]]), session=True) as talk:
        talk.runtime.agent.system_prompt = said["system"]
        await talk.conversation.prompt(said["person"])
        entry = talk.runtime.messages[-1].id
        for name, operation in all_operations().items():
            if operation.group and name not in waits and operation.when == "any":
                params = {
                    each.name: entry if each.kind.type == "string" else example(each.kind)
                    for each in operation.fields
                    if each.required
                }
                found[name] = json.dumps(await talk.call(name, **params))
    assert len(found) > 20
    assert [(name, text) for name, text in found.items() for each in said.values() if each in text] == []
    assert '"result"' in found["control.state"]
    assert '"result"' in found["control.context"]
    for name in ("control.system_prompt", "session.entries", "session.entry", "agents.list"):
        assert '"code": "denied"' in found[name], name


@pytest.mark.parametrize("conversation", [False, True])
async def test_what_is_typed_and_what_is_drawn_is_shown_only_to_those_who_may_read_it(
    world: World, conversation: bool
) -> None:
    world.add("caller", CALLER, "editor renderers")
    permit(world, "caller", calls=True, **({"conversation": True} if conversation else {}))
    async with world.running() as talk:
        calls: list[tuple[str, dict[str, Any]]] = [
            *((method, {"on": True}) for method in ("editor.get", "editor.keys", "editor.decorate")),
            *(("renderers.register", {"kind": kind, "name": "*"}) for kind in RENDERED if kind != "entry"),
        ]
        for method, params in calls:
            answer = await talk.call(method, **params)
            assert answer["code"] == ("unavailable" if conversation else "denied"), (method, params)  # it has no screen
        assert (await talk.call("renderers.register", kind="entry", name="card"))["code"] == "unavailable"


@pytest.mark.parametrize("conversation", [False, True])
async def test_who_may_not_read_completes_a_word_without_its_line(world: World, conversation: bool) -> None:
    source = (
        "say(type='hello', name='raw', capabilities=['autocomplete'])\nuntil('hello_ack')\nframe = command('raw')\n"
        "ask('1', 'completions.register', params={'trigger': '$'})\nresult('1')\n"
        "say(type='command_response', id=frame['id'], action='noop')\n"
        "while True:\n    asked = until('event_intercept')\n"
        "    say(type='event_intercept_response', id=asked['id'], items=[{'text': asked['line']}])\n"
    )
    world.add_raw("raw", RAW + source)
    permit(world, "raw", calls=["completions.*"], **({"conversation": True} if conversation else {}))
    completers = CompleterSet()
    async with world.running() as talk:
        talk.conversation.actions = FrontEndActions(completers=lambda: completers)
        await talk.command("raw")
        _, (item,) = await completers.complete("my secret $wo", 13)
    assert item["text"] == ("my secret $wo" if conversation else "$wo")


@pytest.mark.parametrize("restore", [False, True])
async def test_files_are_restored_only_with_the_permission_for_it(world: World, restore: bool) -> None:
    world.add("caller", CALLER)
    permit(world, "caller", calls=["session.*"], conversation=True, **({"restore": True} if restore else {}))
    client = ScriptedClient([Turn(calls=[Call("write", {"path": "a", "content": "two"})]), "done"])
    async with world.running(client, session=True, saves=True) as talk:
        file = Path(talk.runtime.cwd) / "a"
        file.write_text("one")
        await talk.conversation.prompt("change it")
        first, last = talk.runtime.messages[0].id, talk.runtime.messages[-1].id
        calls: tuple[tuple[str, dict[str, Any], str], ...] = (
            ("session.undo", {"force": True, "stop_jobs": True}, "one"),
            ("session.redo", {"force": True}, "two"),
            ("session.navigate", {"entry": first, "position": "before", "restore": "both"}, "one"),
            ("session.navigate", {"entry": last, "restore": "files"}, "two"),
        )
        for method, params, text in calls:
            answer = await talk.call(method, **params)
            if restore:
                assert answer["result"]["restored"] == [str(file)], method
            else:
                why = "the permissions of its manifest do not have restore, which files need"
                assert answer == {"code": "denied", "error": why}, method
            assert file.read_text() == (text if restore else "two")
        assert "result" in await talk.call("session.navigate", entry=first)


async def test_an_extension_that_asks_for_results_is_sent_each_refusal(world: World) -> None:
    source = (
        "say(type='hello', name='raw', capabilities=['registration_result'])\nuntil('hello_ack')\n"
        "say(type='register_tool', name='bash', description='', schema={'type': 'object'})\n"
        "say(type='subscribe', events=['tool_call'], intercept=['tool_call'])\n"
        "found = [until('registration_result') for _ in range(3)]\n"
        "frame = command('raw')\nshow(frame, [(each['kind'], each['status'], each['reason']) for each in found])\n"
    )
    world.add_raw("raw", RAW + source)
    permit(world, "raw")
    async with world.running() as talk:
        found = json.loads(await talk.command("raw"))
    why = "is refused: permissions.{} of its manifest does not have it"
    assert found == [
        ["tool", "rejected", "the tool 'bash' " + why.format("tools")],
        ["event", "rejected", "to observe tool_call " + why.format("conversation")],
        ["intercept", "rejected", "to intercept tool_call " + why.format("intercept")],
    ]


async def run(talk: Talk, *argv: str, **more: Any) -> dict[str, Any]:
    answer = await talk.call("exec.run", argv=argv, **more)
    found: dict[str, Any] = answer.get("result") or answer
    return found


@pytest.mark.needs("bwrap")
async def test_zot_runs_the_commands_of_its_permissions_and_no_more(world: World, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    world.add("caller", CALLER, "exec")
    permit(world, "caller", read=["."], write=(), network=(), exec=["git status*", "cat *", "sh -c exit"])
    project = world.root / "project"
    project.mkdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "one", str(project)], check=True)
    (project / "a b").write_text("in the project")
    async with world.running() as talk:
        status = await run(talk, "git", "status", "--short")
        assert (status["output"], status["code"]) == ('?? "a b"\n', 0)
        assert (await run(talk, "cat", "a b"))["output"] == "in the project"
        assert "No such file" in (await run(talk, "cat", str(secret)))["output"]
        for command in (
            "git -c core.fsmonitor=./x status", "git status --output=x", "git push", "ls", "rm x", "sh -c exit",
        ):  # fmt: skip
            assert (await run(talk, *command.split()))["code"] == "denied", command
        assert (await run(talk, "cat", "x", cwd=str(tmp_path)))["code"] == "denied"
        assert (await run(talk))["code"] == "invalid"
        talk.conversation.actions = FrontEndActions(run_program=lambda launch: asyncio.sleep(0, 0))
        assert (await run(talk, "git", "status", foreground=True))["code"] == "denied"
    assert (project / "a b").exists()


async def test_zot_runs_anything_for_an_extension_without_permissions_within_its_limits(world: World) -> None:
    world.add("caller", CALLER, "exec")
    async with world.running(exec_bytes=5) as talk:
        assert await run(talk, "echo", "a $HOME 'b'") == {
            "output": "a $HO",
            "code": 0,
            "timed_out": False,
            "truncated": True,
        }
        assert (await run(talk, "sleep", "60", timeout_ms=50))["timed_out"]
        assert (await run(talk, "sh", "-c", "exit 3"))["code"] == 3
        missing = await run(talk, "no-such-program")
        assert missing["code"] == 127


@pytest.mark.needs("bwrap")
async def test_without_exec_zot_runs_nothing(world: World) -> None:
    world.add("caller", CALLER, "exec")
    permit(world, "caller", calls=True, exec=False)
    async with world.running() as talk:
        assert (await run(talk, "true"))["code"] == "denied"
