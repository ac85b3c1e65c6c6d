"""The check against a JSON Schema, compared with pydantic's check of the annotations."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.errors import ToolError
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools import BUILTIN_TOOLS, agent_tool
from zot_core.tools.definition.arguments import Arguments
from zot_core.tools.definition.builtin import BuiltinTool
from zot_core.tools.definition.check import ArgumentCheck, schema_check
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.schema_match import fits

CONTEXT = ToolContext("/", MemoryFiles(), FakeShell())
ALL = (*BUILTIN_TOOLS, agent_tool(()))
BASH = next(tool for tool in ALL if tool.name == "bash")
NAMES = sorted({name for tool in ALL for name in tool.function_tool.schema["properties"]})

plain = st.none() | st.booleans() | st.integers(-5, 5000) | st.floats() | st.text(max_size=8)
edits = st.fixed_dictionaries({}, optional={"oldText": plain, "newText": plain, "more": plain})
values = (
    plain | st.lists(edits | plain, max_size=3) | st.sampled_from(["[]", '[{"oldText": "a", "newText": "b"}]', "{}"])
)
given_arguments = st.dictionaries(st.sampled_from([*NAMES, "unknown"]), values, max_size=5)


def outcome(check: ArgumentCheck, arguments: dict[str, object]) -> Any:
    try:
        return repr(check.values(arguments, CONTEXT))
    except ToolError as error:
        return error.args


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_a_built_in_tool_accepts_what_its_annotations_accept(tool: BuiltinTool) -> None:
    function = tool.function_tool.function
    by_annotations = Arguments(function, tool.name)
    context = next((name for name, kind in function.__annotations__.items() if kind is ToolContext), None)
    by_schema = schema_check(tool.name, tool.function_tool.schema, context)

    @given(given_arguments)
    def compare(arguments: dict[str, object]) -> None:
        assert outcome(by_schema, arguments) == outcome(by_annotations, arguments)

    compare()


def test_a_schema_of_another_kind_is_refused() -> None:
    async def look(where: str | int) -> str:
        return str(where)

    with pytest.raises(KeyError):
        schema_check("look", Arguments(look, "look").schema(), None)


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_arguments_that_fit_are_accepted_as_they_are(tool: BuiltinTool) -> None:
    check = schema_check(tool.name, tool.function_tool.schema, None)

    @given(st.dictionaries(st.sampled_from(sorted(tool.schema["properties"]) or ["none"]), values, max_size=5))
    def compare(arguments: dict[str, object]) -> None:
        if fits(arguments, tool.function_tool.schema):
            assert check.values(arguments, CONTEXT) == arguments

    compare()


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "true"},
        {"command": "make", "timeout": 600},
        {"command": "make", "timeout": 0.5, "background": True},
    ],
)
def test_usual_arguments_fit(arguments: dict[str, object]) -> None:
    assert fits(arguments, BASH.function_tool.schema)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"command": 5},
        {"command": "true", "timeout": "600"},
        {"command": "true", "timeout": True},
        {"command": "true", "timeout": -1},
        {"command": "true", "timeout": float("nan")},
        {"command": "true", "timeout": 10**400},
        {"command": "true", "background": None},
        {"command": "true", "other": 1},
        {"command": "half of a pair \ud800"},
    ],
)
def test_what_must_be_converted_or_refused_does_not_fit(arguments: dict[str, object]) -> None:
    assert not fits(arguments, BASH.function_tool.schema)
