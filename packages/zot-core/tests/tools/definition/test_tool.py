import asyncio
import subprocess
import sys
import threading
from typing import Any

import pytest

from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import FunctionTool, Tool, tool
from zot_provider.messages import ImageBlock, TextBlock

CONTEXT = ToolContext("/proj", MemoryFiles(), FakeShell())


def run(some: Tool, **arguments: object) -> ToolResult:
    return asyncio.run(some.run(arguments, CONTEXT))


def returning(value: Any) -> FunctionTool[[], Any]:
    @tool
    def give() -> Any:
        return value

    return give


def test_name_description_and_schema_come_from_the_function() -> None:
    @tool
    async def lookup(city: str) -> str:
        """Current temperature for a city.

        In degrees.
        """
        return city

    assert lookup.name == "lookup"
    assert lookup.description == "Current temperature for a city.\n\nIn degrees."
    assert not lookup.parallel
    assert lookup.schema == {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def test_the_decorator_overrides_name_description_and_parallel() -> None:
    @tool(name="weather", description="Weather.", parallel=True)
    def lookup(city: str) -> str:
        """Something else."""
        return city

    assert (lookup.name, lookup.description, lookup.parallel) == ("weather", "Weather.", True)
    assert run(lookup, city="Berlin").text == "Berlin"


def test_a_tool_is_still_the_function_when_called() -> None:
    @tool
    def double(number: int) -> int:
        return 2 * number

    assert double(4) == 8
    assert repr(double) == "<tool double>"


def test_a_tool_without_parameters_has_an_empty_object_as_schema() -> None:
    assert returning("x").schema == {"type": "object", "properties": {}}


def test_an_async_function_runs_on_the_loop_and_a_plain_one_in_a_thread() -> None:
    threads: list[threading.Thread] = []

    @tool
    async def on_loop() -> None:
        threads.append(threading.current_thread())

    @tool
    def in_thread() -> None:
        threads.append(threading.current_thread())

    run(on_loop)
    run(in_thread)
    assert threads[0] is threading.main_thread()
    assert threads[1] is not threading.main_thread()


def test_a_plain_function_may_return_an_awaitable() -> None:
    async def later() -> str:
        return "later"

    assert run(returning(later())).text == "later"


def test_the_context_is_handed_to_whoever_asks_and_is_not_in_the_schema() -> None:
    @tool
    async def where(context: ToolContext, deep: bool = False) -> str:
        return context.cwd

    assert list(where.schema["properties"]) == ["deep"]
    assert run(where, context="forged").text == "/proj"


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("words", [TextBlock("words")]),
        ("", [TextBlock("")]),
        (TextBlock("a"), [TextBlock("a")]),
        (ImageBlock("image/png", "AA=="), [ImageBlock("image/png", "AA==")]),
        ([TextBlock("a"), ImageBlock("image/png", "")], [TextBlock("a"), ImageBlock("image/png", "")]),
        ([], [TextBlock("[]")]),
        ({"ü": [1, None, float("nan")]}, [TextBlock('{"ü":[1,null,null]}')]),
        (None, [TextBlock("null")]),
        (3, [TextBlock("3")]),
    ],
)
def test_what_a_function_returns_becomes_content(value: object, content: list[object]) -> None:
    assert run(returning(value)) == ToolResult(content)  # type: ignore[arg-type]


def test_a_result_is_passed_on_untouched() -> None:
    result = ToolResult.error("no")
    assert run(returning(result)) is result


def test_a_value_without_json_form_is_a_fault_of_the_tool() -> None:
    with pytest.raises(TypeError, match="tool 'give' returned a object, which has no JSON form"):
        run(returning(object()))


def test_bad_arguments_are_told_to_the_model() -> None:
    @tool
    def read(path: str) -> str:
        return path

    with pytest.raises(ToolError, match=r"^invalid arguments for read: path: field required$"):
        run(read)


def test_a_given_schema_is_shown_and_the_annotations_still_check() -> None:
    def count(number: int) -> int:
        return number + 1

    shown = {"type": "object", "properties": {"number": {"type": "integer"}}}
    counted = FunctionTool(count, schema=shown)
    assert counted.schema is shown
    assert run(counted, number="3").text == "4"


def test_decorating_imports_no_pydantic() -> None:
    code = """
import sys
from zot_core.tools.definition.tool import tool

@tool
def lookup(city: str) -> str:
    return city

assert "pydantic" not in sys.modules
assert lookup.schema["type"] == "object"
assert "pydantic" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
