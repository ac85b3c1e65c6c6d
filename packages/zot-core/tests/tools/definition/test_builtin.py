import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import zot_core.tools
from zot_core.runtime.subagents.definitions import builtin_agents
from zot_core.tools import BUILTIN_TOOLS, agent_tool
from zot_core.tools.definition.arguments import Arguments
from zot_core.tools.definition.builtin import BuiltinTool, builtin

ALL = (*BUILTIN_TOOLS, agent_tool(()))
PROMPTS = Path(zot_core.tools.__file__).parent / "prompts"


def test_the_registry_lists_every_tool_once_in_order() -> None:
    names = [tool.name for tool in BUILTIN_TOOLS]
    assert {"bash", "edit", "find", "glob", "grep", "ls", "read", "write"} <= set(names)
    assert names == sorted(set(names))


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_the_generated_specs_say_what_signatures_and_prompts_say(tool: BuiltinTool) -> None:
    stale = "run make generate"
    defined = tool.function_tool
    assert (tool.name, tool.parallel) == (defined.name, defined.parallel), stale
    assert tool.repeatable == defined.repeatable, stale
    assert defined.schema == Arguments(defined.function, tool.name).schema(), stale
    assert (tool.other_names, tool.replaceable) == (defined.other_names, defined.replaceable), stale
    assert tool.on_demand == defined.on_demand, stale
    path = PROMPTS / f"{tool.name}.md"
    prompt = path.read_text("utf-8").strip() if path.exists() else inspect.getdoc(defined.function) or ""
    agents = ", ".join(f"`{name}`" for name in builtin_agents())
    assert tool.description == prompt.replace("{agents}", agents), stale


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_a_model_does_not_read_the_bounds_of_numbers_which_hold_all_the_same(tool: BuiltinTool) -> None:
    full = tool.function_tool.schema
    assert "minimum" not in str(tool.schema)
    assert tool.schema["properties"].keys() == full["properties"].keys()
    assert tool.schema["required"] == full["required"] if "required" in full else True


def test_every_prompt_and_every_module_of_a_tool_is_in_the_registry() -> None:
    assert {path.stem for path in PROMPTS.iterdir()} <= {tool.name for tool in ALL}
    modules = [path for path in PROMPTS.parent.glob("*.py") if "\n@builtin(" in path.read_text("utf-8")]
    assert {path.stem for path in modules} == {tool.name for tool in ALL}


def test_all_but_a_command_may_run_beside_others() -> None:
    assert [tool.name for tool in BUILTIN_TOOLS if not tool.parallel] == ["bash"]


def test_a_call_changes_something_or_not_by_its_arguments() -> None:
    reads = {tool.name: tool.only_reads({}) for tool in BUILTIN_TOOLS}
    changing = sorted(name for name in reads if not reads[name])
    assert changing == ["bash", "edit", "todo", "write"]
    assert not BuiltinTool("job").only_reads({"action": "stop"})


def test_a_call_that_only_reads_may_be_repeated() -> None:
    assert {tool.name for tool in BUILTIN_TOOLS if tool.repeatable} == {"find", "glob", "grep", "ls", "read"}


def test_the_modules_of_tools_are_not_imported_with_the_registry() -> None:
    code = "import sys, zot_core.tools; print(*[name for name in sys.modules if name.startswith('zot_core.tools.')])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {f"zot_core.tools.{tool.name}" for tool in ALL} & set(done.stdout.split())


def test_a_tool_that_was_never_generated_works_from_its_signature() -> None:
    @builtin()
    async def brand_new(path: str) -> str:
        return path

    assert brand_new.description == ""
    assert brand_new.schema["required"] == ["path"]
