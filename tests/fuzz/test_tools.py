"""What a model passes to the built-in tools, and what a stored session says that it passed."""

from pathlib import Path
from typing import Any

from hostile import doctored, few, json_values, texts
from hypothesis import given
from hypothesis import strategies as st

from zot_core.errors import ToolError
from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.definition.builtin import BuiltinTool
from zot_core.tools.definition.context import ToolContext
from zot_provider.messages import TextBlock

ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "bash": [{"command": "true", "timeout": 5, "background": False, "limit": 100}],
    "edit": [{"path": "a.txt", "edits": [{"oldText": "alpha", "newText": "beta"}]}],
    "fetch": [{"url": "http://127.0.0.1:1/"}],
    "find": [{"pattern": "*.txt", "path": ".", "limit": 5}],
    "glob": [{"pattern": "**/*.txt", "path": ".", "hidden": True}],
    "grep": [
        {
            "pattern": "al(pha)?",
            "path": ".",
            "glob": "*.txt",
            "ignoreCase": True,
            "literal": False,
            "context": 1,
            "limit": 5,
        }
    ],
    "job": [{"action": "output", "id": "1", "wait": 0, "limit": 100}],
    "ls": [{"path": ".", "limit": 5}],
    "read": [{"path": "a.txt", "offset": 1, "limit": 2, "from_character": 1}],
    "todo": [{"items": [{"content": "read", "status": "pending"}]}],
    "write": [{"path": "b.txt", "content": "x"}],
}
LONGEST = 200_000
"""More characters than a result has."""


def contained(value: Any) -> bool:
    """Whether nothing names a place outside of the working directory."""
    if isinstance(value, dict):
        return all(contained(each) for each in value.values())
    if isinstance(value, list):
        return all(contained(each) for each in value)
    return not isinstance(value, str) or not (value.startswith(("/", "~")) or ".." in value)


TOOLS = [tool for tool in BUILTIN_TOOLS if tool.name != "bash"]  # it runs whatever the model says
CALLS = st.sampled_from(TOOLS).flatmap(
    lambda tool: st.tuples(st.just(tool), doctored(ARGUMENTS[tool.name]).filter(contained))
)


def test_each_tool_has_a_sample_of_its_arguments() -> None:
    for tool in BUILTIN_TOOLS:
        [sample] = ARGUMENTS[tool.name]
        assert set(sample) == set(tool.schema["properties"])


@few
@given(CALLS)
async def test_any_arguments_give_a_bounded_result_or_an_error_for_the_model(
    work: Path, call: tuple[BuiltinTool, object]
) -> None:
    tool, arguments = call
    if not isinstance(arguments, dict):
        return
    (work / "a.txt").write_text("alpha\n")
    try:
        result = await tool.run(arguments, ToolContext(str(work), LocalFiles(), LocalShell()))
        said = "".join(block.text for block in result.content if isinstance(block, TextBlock))
    except ToolError as error:
        said = str(error)
        assert said.strip()
    assert len(said) < LONGEST


@few
@given(st.sampled_from(BUILTIN_TOOLS), st.data(), texts | st.just("out\n[exit 0] 0.1s"))
def test_what_a_session_stored_is_shown_whatever_it_is(tool: BuiltinTool, data: st.DataObject, text: str) -> None:
    arguments = data.draw(doctored(ARGUMENTS[tool.name]) | json_values)
    if isinstance(arguments, dict):
        assert isinstance(tool.recall(arguments, text), list)
