"""Write `zot_core/tools/definition/specs.json`: what is known of the built-in tools without their modules.

The schemas come from the tools' signatures, the descriptions from `prompts/<name>.md`, in which `{agents}` stands for
the built-in sub-agents. Run `make generate` after changing one of them.
"""

import json
from pathlib import Path

import zot_core.tools
from zot_core.runtime.subagents.definitions import builtin_agents
from zot_core.tools import BUILTIN_TOOLS, agent_tool
from zot_core.tools.definition.arguments import Arguments

FOLDER = Path(zot_core.tools.__file__).parent


def specs() -> str:
    """The content of the file."""
    agents = ", ".join(f"`{name}`" for name in builtin_agents())
    table = {
        tool.name: {
            "description": _prompt(tool.name).replace("{agents}", agents),
            "schema": Arguments(tool.function, tool.name).schema(),
            "parallel": tool.parallel,
            "repeatable": tool.repeatable,
            "prompt_line": tool.prompt_line,
        }
        for tool in (each.function_tool for each in (*BUILTIN_TOOLS, agent_tool(())))
    }
    return json.dumps(table, ensure_ascii=False, indent=1) + "\n"


def _prompt(name: str) -> str:
    return (FOLDER / "prompts" / f"{name}.md").read_text("utf-8").strip()


if __name__ == "__main__":
    (FOLDER / "definition" / "specs.json").write_text(specs(), "utf-8")
