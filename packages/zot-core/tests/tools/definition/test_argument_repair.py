import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core import Runtime, ToolResultEvent, tool
from zot_core.agent.calls import unknown_tool
from zot_core.hooks import Refusal, ToolRequest
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.definition.argument_repair import meant, read_arguments
from zot_core.tools.definition.builtin import BuiltinTool
from zot_provider.testing import Call, ScriptedClient, Turn

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["path", "file_path", "edits", "oldText", "old_string", "new_string", "command", "cmd", "offset", "items", "x"]
VALUES = JSON | JSON.map(json.dumps) | st.sampled_from(["", "null", "3", "true", "[", "{'a': 1}"])


@pytest.mark.parametrize("built_in", BUILTIN_TOOLS, ids=lambda each: each.name)
def test_any_arguments_are_understood_or_kept_and_a_second_look_changes_nothing(built_in: BuiltinTool) -> None:
    @given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
    def check(arguments: dict[str, Any]) -> None:
        given_ = json.loads(json.dumps(arguments))
        found, notes = meant(arguments, built_in.schema)
        assert arguments == given_
        assert bool(notes) or all(arguments[name] == value for name, value in found.items())
        assert meant(found, built_in.schema)[0] == found or notes

    check()


@given(JSON | st.text(max_size=20))
def test_any_text_of_arguments_is_an_object_or_refused(value: object) -> None:
    try:
        found, _ = read_arguments(value if isinstance(value, str) else json.dumps(value))
    except ValueError:
        return
    assert isinstance(found, dict)


def test_a_value_of_a_schema_without_a_type_stays_as_it_is() -> None:
    schema = {"properties": {"any": {}, "one": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}
    assert meant({"any": "[1]", "one": "2"}, schema) == ({"any": "[1]", "one": "2"}, [])


def test_a_deep_text_is_refused_and_not_recursed_into() -> None:
    with pytest.raises(ValueError, match="deeply"):
        read_arguments("[" * 100_000)
    assert meant({"edits": "[" * 100_000}, BUILTIN_TOOLS[1].schema)[0]["edits"] == "[" * 100_000


def test_an_unknown_tool_is_answered_with_the_one_that_is_meant() -> None:
    tools = {each.name: each for each in BUILTIN_TOOLS}
    for name, found in {"Read": "read", "run_shell_command": "bash", "mcp__fs__write_file": "write"}.items():
        assert f'did you mean "{found}"' in unknown_tool(name, tools)
    assert unknown_tool("x", {}) == 'unknown tool "x"; the tools are: none'


async def test_guards_and_the_tool_see_what_was_meant() -> None:
    ran: list[str] = []

    @tool
    async def deploy(command: str) -> str:
        """Deploy."""
        ran.append(command)
        return "done"

    asked: list[ToolRequest] = []

    def guard(call: ToolRequest) -> Refusal | None:
        asked.append(call)
        return Refusal("not this one") if call.arguments["command"] == "bad" else None

    calls = [Call("deploy", {"cmd": "bad"}), Call("deploy", {"cmd": "good"})]
    results: list[ToolResultEvent] = []
    async with Runtime("any", client=ScriptedClient([Turn(calls=calls), "ok"]), tools=[deploy]) as runtime:
        runtime.hooks.tool_run.add(guard)
        async for event in runtime.prompt("go"):
            if isinstance(event, ToolResultEvent):
                results.append(event)

    assert [call.arguments_json() for call in asked] == ['{"command": "bad"}', '{"command": "good"}']
    assert ran == ["good"]
    assert [result.is_error for result in results] == [True, False]
    assert results[1].arguments == '{"command": "good"}'
