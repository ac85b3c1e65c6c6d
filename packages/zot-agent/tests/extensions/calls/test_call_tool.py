"""Tools that an extension calls: who judges them, what they may do, and that no chain of them goes on."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from calling_extension import RAW, World
from waiting import until

from zot_agent.extensions.tool_calls.call_tool import cut_content
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.conversation.commands import CommandError
from zot_core.conversation.events import Notify
from zot_core.errors import Refused
from zot_core.events import ToolProgress, ToolResultEvent
from zot_core.hooks import ToolRequest
from zot_ext.protocol.values import ImageBlock as ImageValue
from zot_ext.protocol.values import TextBlock as TextValue
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

CALLER = """
import json
@ext.command("tool")
def tool(args):
    asked = json.loads(args)
    answer = ext.tools.call_with(asked["name"], asked.get("args", {}), builtin=asked.get("builtin", False))
    return json.dumps([answer.text, answer.is_error, answer.truncated])
"""
"""An extension whose command calls a tool."""


async def call(talk: Any, name: str, builtin: bool = False, **args: Any) -> list[Any]:
    """Text, error flag and `truncated` of a call by the extension `caller`."""
    found: list[Any] = json.loads(
        await talk.command("tool", json.dumps({"name": name, "args": args, "builtin": builtin}))
    )
    return found


def outputs(events: list[object]) -> list[str]:
    return [
        "".join(block.text for block in each.content if isinstance(block, TextBlock))
        for each in events
        if isinstance(each, ToolResultEvent)
    ]


async def test_an_extension_calls_a_tool_without_a_trace_in_the_conversation(world: World) -> None:
    world.add("caller", CALLER, "call_tool")
    async with world.running() as talk:
        (Path(talk.runtime.cwd) / "a.txt").write_text("one")
        assert await call(talk, "read", path="a.txt") == ["one\n", False, False]
        text, failed, _ = await call(talk, "read", path="b.txt")
        assert failed
        assert "b.txt" in text
        assert talk.runtime.messages == []
        assert not any(isinstance(each, ToolResultEvent) for each in talk.told)


async def test_an_extension_gets_the_details_of_a_tool_that_it_calls(world: World) -> None:
    body = (
        "import json\n@ext.command('change')\ndef change(args):\n"
        "    answer = ext.tools.call('edit', path='a.txt', edits=[{'oldText': 'one', 'newText': args}])\n"
        "    return json.dumps(answer.details.value if answer.details else None)\n"
    )
    world.add("caller", body, "call_tool")
    async with world.running(call_tool_bytes=300) as talk:
        file = Path(talk.runtime.cwd) / "a.txt"
        file.write_text("one\n")
        told = json.loads(await talk.command("change", "two"))
        assert told == {"path": str(file), "edits": 1, "diff": "-one\n+two", "starts": [[1, 1]]}
        file.write_text("one\n")
        assert json.loads(await talk.command("change", "two" * 200)) is None  # it is too long


async def test_an_extension_that_was_started_again_calls_tools(world: World) -> None:
    world.add("caller", CALLER + "@ext.command('end')\ndef end(_):\n    import os\n    os._exit(3)\n", "call_tool")
    async with world.running() as talk:
        (Path(talk.runtime.cwd) / "a.txt").write_text("one")
        assert await call(talk, "read", path="a.txt") == ["one\n", False, False]
        with pytest.raises(CommandError):
            await talk.command("end")
        (member,) = talk.extensions.members
        await member.restart(asyncio.get_running_loop().time() + 60)
        assert await call(talk, "read", path="a.txt") == ["one\n", False, False]


async def test_guards_and_the_person_decide_about_the_calls_of_an_extension(world: World) -> None:
    world.add("caller", CALLER + "@ext.intercept('tool_call')\ndef mine(call):\n    return block('me')\n", "call_tool")
    world.add(
        "guard",
        "@ext.intercept('tool_call')\ndef guard(call):\n    line = call.args['command']\n"
        "    return block('no ls') if line == 'ls' else rewrite({'command': line + '!'})\n",
        "",
    )
    asked: list[PermissionQuestion] = []

    async def ask(question: PermissionQuestion) -> PermissionAnswer:
        asked.append(question)
        return PermissionAnswer("no", "not today")

    async with world.running() as talk:
        talk.conversation.permissions.mode = "ask"
        talk.conversation.permissions.ask_with(ask)
        assert await call(talk, "bash", command="ls") == ["no ls", True, False]
        text, failed, _ = await call(talk, "bash", command="touch x")
        assert failed
        assert text == "the user did not allow this call of bash: not today"
    [question] = asked
    assert question.call.arguments == {"command": "touch x!"}
    assert question.call.by == "caller"
    assert question.reason.endswith("; extension caller makes it")


OVERRIDE = """
@ext.tool(override=True)
def bash(command: str) -> str:
    'B.'
    answer = ext.tools.call('bash', builtin=True, command=command + ' world')
    return 'wrapped: ' + answer.text.splitlines()[0]
"""


async def test_a_tool_in_the_place_of_zot_s_own_calls_that(world: World) -> None:
    world.add("wrap", OVERRIDE, "call_tool")
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "echo hello"})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        assert outputs(talk.told) == ["wrapped: hello world"]
        # What the inner tool prints is progress of the call that the model has made.
        assert "hello world" in "".join(each.text for each in talk.told if isinstance(each, ToolProgress))


@pytest.mark.parametrize("name", ["read", "write"])
async def test_what_a_tool_in_the_place_of_zot_s_own_has_shown_of_a_file_counts(world: World, name: str) -> None:
    world.add(
        "wrap",
        f"@ext.tool(name={name!r}, override=True, schema={{'type': 'object'}})\ndef tool(args):\n    'T.'\n"
        f"    answer = ext.tools.call_with({name!r}, args, builtin=True)\n"
        "    return Result(answer.content, answer.is_error)\n",
        "call_tool",
    )
    file = world.root / "x"
    file.write_text("old")
    calls = [Call(each, {"path": str(file), "content": "new"}) for each in (name, "write")]
    client = ScriptedClient([*(Turn(calls=[each]) for each in calls), "done"])
    async with world.running(client) as talk:
        talk.conversation.runtime.agent.place.change(overwrite_check=True)
        await talk.conversation.prompt("go")
    assert file.read_text() == "new"


async def test_a_cycle_of_tools_that_call_each_other_ends_with_its_names(world: World) -> None:
    for name, other in ("ab", "ba"):
        world.add(
            name,
            f"@ext.tool(name={name!r}, schema={{'type': 'object'}})\ndef tool(args):\n    'T.'\n"
            f"    answer = ext.tools.call({other!r})\n    return Result(answer.content, answer.is_error)\n",
            "call_tool",
        )
    client = ScriptedClient([Turn(calls=[Call("a", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        assert outputs(talk.told) == ["a cycle of tools that call each other: a > b > a"]


async def test_no_more_than_four_tools_call_each_other(world: World) -> None:
    for number in range(6):
        world.add(
            f"t{number}",
            f"@ext.tool(name='t{number}', schema={{'type': 'object'}})\ndef tool(args):\n    'T.'\n"
            f"    answer = ext.tools.call('t{number + 1}')\n    return Result(answer.content, answer.is_error)\n",
            "call_tool",
        )
    client = ScriptedClient([Turn(calls=[Call("t0", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        assert outputs(talk.told) == ["t0 > t1 > t2 > t3 call each other already; no more than 4 may"]


RAW_CALLER = (
    RAW
    + """
say(type="hello", name="raw", capabilities=["tools", "call_tool"])
say(type="register_tool", name="outer", description="", schema={"type": "object"})
say(type="ready")
call = until("tool_call")
def tool(id, **fields):
    say(type="call_tool", id=id, args={"command": "echo x"}, **fields)
    answer = until("tool_result")
    return [answer["id"], answer["content"][0]["text"]]
found = [
    tool("1", name="bash"),
    tool("2", name="bash", parent_id="nobody"),
    tool("3", name="bish", parent_id=call["id"]),
    tool("4", name="outer", builtin=True, parent_id=call["id"]),
    tool("5", name="bash", parent_id=call["id"]),
]
say(type="call_tool", id="6", name="bash", args={"command": "sleep 60"}, parent_id=call["id"])
say(type="call_tool_cancel", id="6")
found.append(["6", until("tool_result")["content"][0]["text"]])
say(type="call_tool", id="7", name="bash", args={"command": "sleep 60"}, parent_id=call["id"])
say(type="tool_result", id=call["id"], content=[{"type": "text", "text": json.dumps(found)}])
found = ["7", until("tool_result")["content"][0]["text"]]
say(type="notify", level="info", message=json.dumps(found))
until("shutdown")
"""
)


async def test_each_call_gets_one_answer_whatever_is_wrong_with_it(world: World) -> None:
    world.add_raw("raw", RAW_CALLER)
    client = ScriptedClient([Turn(calls=[Call("outer", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        found = dict(json.loads(outputs(talk.told)[0]))
        told = Notify("raw", "info", '["7", "the call of bash was cancelled"]')
        await until(lambda: told in talk.told)
    assert found["1"] == "parent_id is missing: it must name the tool_call that is being answered"
    assert found["2"] == "no request 'nobody' is open"
    assert found["3"].startswith("the model has no tool with the name 'bish'; there are bash, ")
    assert found["4"].startswith("zot itself has no tool with the name 'outer'")
    assert found["5"].startswith("x\n")
    assert found["6"] == "the call of bash was cancelled"


async def test_the_time_of_a_tool_does_not_run_while_a_tool_that_it_calls_does(world: World) -> None:
    world.add("wrap", OVERRIDE.replace("' world'", "' && sleep 2.2'").replace("[0]", "[-1]"), "call_tool")
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "true"})]), "done"])
    async with world.running(client, tool_seconds=2) as talk:
        await talk.conversation.prompt("go")
        [text] = outputs(talk.told)
    assert text.startswith("wrapped: [exit 0]")


@pytest.mark.needs("bwrap")
async def test_zot_s_tools_can_do_no_more_for_an_extension_than_its_permissions_say(world: World) -> None:
    world.add("caller", CALLER, "call_tool")
    folder = Path(world.folders[0])
    permissions = {"commands": True, "calls": ["call_tool.read", "call_tool.bash", "call_tool.write"], "read": ["."]}
    manifest = json.loads((folder / "extension.json").read_text())
    (folder / "extension.json").write_text(json.dumps(manifest | {"permissions": permissions}))
    (world.root / "outside.txt").write_text("secret")
    async with world.running() as talk:
        (Path(talk.runtime.cwd) / "a.txt").write_text("one")
        assert await call(talk, "read", path="a.txt") == ["one\n", False, False]
        for name, args in (
            ("read", {"path": str(world.root / "outside.txt")}),
            ("write", {"path": "b.txt", "content": "x"}),
            ("bash", {"command": "true"}),
            ("glob", {"pattern": "*"}),
        ):
            text, failed, _ = await call(talk, name, **args)
            assert failed, (name, text)
            assert "secret" not in text
        assert not (Path(talk.runtime.cwd) / "b.txt").exists()


async def test_a_hook_that_withholds_a_result_withholds_it_from_an_extension_too(world: World) -> None:
    world.add("caller", CALLER, "call_tool")

    def withhold(_: object) -> None:
        raise Refused("withheld")

    seen: list[ToolRequest] = []
    async with world.running() as talk:
        talk.runtime.hooks.tool_call.add(lambda request: seen.append(request))
        talk.runtime.hooks.tool_result.add(withhold)
        assert await call(talk, "bash", command="echo x") == ["withheld", True, False]
    assert [(each.name, each.by) for each in seen] == [("bash", "caller")]


def test_content_for_an_extension_is_cut_at_the_limit() -> None:
    image = ImageBlock("image/png", "A" * 100)
    assert cut_content([TextBlock("ab"), image], 200) == ((TextValue("ab"), ImageValue("image/png", "A" * 100)), False)
    assert cut_content([image, TextBlock("é" * 10)], 5) == ((TextValue("éé"),), True)
