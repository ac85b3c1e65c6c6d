"""The built-in tools, by name. A tool's module is imported with its first call."""

from collections.abc import Iterable, Sequence

from zot_core.tools.definition.builtin import TOOL_NAMES, BuiltinTool
from zot_provider.errors import ConfigError

__all__ = ["AGENT_TOOL", "BUILTIN_TOOLS", "agent_tool", "as_names"]

AGENT_TOOL = "agent"
"""The name of the tool that starts sub-agents."""
BUILTIN_TOOLS = tuple(map(BuiltinTool, filter(AGENT_TOOL.__ne__, TOOL_NAMES)))


def agent_tool(lines: Sequence[str]) -> BuiltinTool:
    """Create the tool `agent`; `lines` describe the sub-agents that it can start besides the built-in ones."""
    tool = BuiltinTool(AGENT_TOOL)
    if lines:
        tool.description = "\n".join([tool.description, "", "More agents:", *lines])
    return tool


def as_names(names: Iterable[str]) -> list[str]:
    """Return tool names as a list. Raises `ConfigError` for a string, whose letters would be taken for names."""
    if isinstance(names, str):
        raise ConfigError(f"tools are named in a list, not in a string: [{names!r}], not {names!r}")
    return list(names)
