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

CONTEXT = ToolContext("/", MemoryFiles(), FakeShell())
ALL = (*BUILTIN_TOOLS, agent_tool(()))
NAMES = sorted({name for tool in ALL for name in tool.schema["properties"]})

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
    by_schema = schema_check(function, tool.name, tool.schema)

    @given(given_arguments)
    def compare(arguments: dict[str, object]) -> None:
        assert outcome(by_schema, arguments) == outcome(by_annotations, arguments)

    compare()


def test_a_schema_of_another_kind_is_refused() -> None:
    async def look(where: str | int) -> str:
        return str(where)

    with pytest.raises(KeyError):
        schema_check(look, "look", Arguments(look, "look").schema())
