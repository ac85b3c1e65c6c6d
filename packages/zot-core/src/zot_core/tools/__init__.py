"""The built-in tools, by name. A tool's module is imported with its first call."""

from collections.abc import Iterable, Sequence

from zot_core.tools.definition.builtin import BuiltinTool
from zot_provider.errors import ConfigError

__all__ = ["AGENT_TOOL", "BUILTIN_TOOLS", "agent_tool", "as_names"]

_NAMES = {
    "bash": "shell run_shell_command execute_command run_command run_terminal_cmd terminal exec local_shell powershell",
    "edit": "edit_file str_replace str_replace_editor search_replace replace replace_in_file multi_edit apply_patch",
    "fetch": "web_fetch webfetch fetch_url read_url",
    "find": "find_files file_search search_files",
    "glob": "glob_files",
    "grep": "search grep_search search_file_content search_text rg ripgrep codebase_search",
    "job": "bash_output kill_shell kill_bash write_stdin",
    "ls": "list list_dir list_directory list_files",
    "read": "read_file view view_file open_file cat read_many_files",
    "todo": "todo_write todowrite update_plan manage_todo_list update_todo_list",
    "write": "write_file write_to_file create_file save_file create",
}
"""The tools, and what other programs call such tools."""
_REPLACEABLE = ("fetch", "job", "todo")
"""The Go zot has no tools of these names, so extensions may have some."""
_ON_DEMAND = ("find", "glob", "ls")
"""Models use `grep` and `bash` in their place. They are there for rules, prompts and extensions that name them."""
BUILTIN_TOOLS = tuple(
    BuiltinTool(name, others, replaceable=name in (*_REPLACEABLE, *_ON_DEMAND), on_demand=name in _ON_DEMAND)
    for name, others in _NAMES.items()
)

AGENT_TOOL = "agent"
"""The name of the tool that starts sub-agents."""


def agent_tool(lines: Sequence[str]) -> BuiltinTool:
    """Create the tool `agent`; `lines` describe the sub-agents that it can start besides the built-in ones."""
    tool = BuiltinTool(AGENT_TOOL, "task dispatch_agent spawn_agent subagent delegate", replaceable=True)
    if lines:
        tool.description = "\n".join([tool.description, "", "More agents:", *lines])
    return tool


def as_names(names: Iterable[str]) -> list[str]:
    """Return tool names as a list. Raises `ConfigError` for a string, whose letters would be taken for names."""
    if isinstance(names, str):
        raise ConfigError(f"tools are named in a list, not in a string: [{names!r}], not {names!r}")
    return list(names)
