"""Write `zot_core/tools/definition/specs.json`: what is known of the built-in tools without their modules.

The schemas come from the tools' signatures, the descriptions from `prompts/<name>.md`. Run `make generate`
after changing either.
"""

import json
from pathlib import Path

import zot_core.tools
from zot_core.tools import BUILTIN_TOOLS, agent_tool
from zot_core.tools.definition.arguments import Arguments

FOLDER = Path(zot_core.tools.__file__).parent


def specs() -> str:
    """The content of the file."""
    table = {
        tool.name: {
            "description": (FOLDER / "prompts" / f"{tool.name}.md").read_text("utf-8").strip(),
            "schema": Arguments(tool.function, tool.name).schema(),
            "parallel": tool.parallel,
            "repeatable": tool.repeatable,
            "prompt_line": tool.prompt_line,
        }
        for tool in (each.function_tool for each in (*BUILTIN_TOOLS, agent_tool(())))
    }
    return json.dumps(table, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    (FOLDER / "definition" / "specs.json").write_text(specs(), "utf-8")
