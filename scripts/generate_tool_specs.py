"""Write `zot_core/tools/definition/specs.json`: what is known of the built-in tools without their modules.

A built-in tool is a module of `zot_core/tools` with a function `@builtin` of its name. The schemas come from the tools'
signatures, the descriptions from `prompts/<name>.md`, in which `{agents}` stands for the built-in sub-agents, or else
from the docstrings. Run `make generate` after changing one of them.
"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

from json_lines import in_lines

import zot_core.tools
from zot_core.runtime.subagents.definitions import builtin_agents
from zot_core.tools.definition.arguments import Arguments
from zot_core.tools.definition.tool import FunctionTool

FOLDER = Path(zot_core.tools.__file__).parent


def defined() -> list[FunctionTool[..., Any]]:
    """The tools that the modules define, by name."""
    names = sorted(path.stem for path in FOLDER.glob("*.py") if "\n@builtin(" in path.read_text("utf-8"))
    return [getattr(import_module(f"zot_core.tools.{name}"), name) for name in names]


def spec(tool: FunctionTool[..., Any]) -> dict[str, Any]:
    """What is known of a tool."""
    agents = ", ".join(f"`{name}`" for name in builtin_agents())
    return {
        "description": _prompt(tool).replace("{agents}", agents),
        "schema": Arguments(tool.function, tool.name).schema(),
        "parallel": tool.parallel,
        "repeatable": tool.repeatable,
        "other_names": " ".join(tool.other_names),
        "replaceable": tool.replaceable,
        "on_demand": tool.on_demand,
    }


def _prompt(tool: FunctionTool[..., Any]) -> str:
    path = FOLDER / "prompts" / f"{tool.name}.md"
    return path.read_text("utf-8").strip() if path.exists() else inspect.getdoc(tool.function) or ""


if __name__ == "__main__":
    table = {tool.name: spec(tool) for tool in defined()}
    (FOLDER / "definition" / "specs.json").write_text(in_lines(table, 1), "utf-8")
