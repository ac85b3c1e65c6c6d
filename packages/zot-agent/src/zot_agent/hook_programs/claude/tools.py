"""Calls of zot's tools as calls of the tools of Claude Code, and back."""

from collections.abc import Mapping
from typing import Any

_NAMES = {
    "agent": ("Task", "Agent"),
    "bash": ("Bash",),
    "edit": ("Edit", "MultiEdit"),
    "fetch": ("WebFetch",),
    "find": ("Glob",),
    "glob": ("Glob",),
    "grep": ("Grep",),
    "ls": ("LS",),
    "read": ("Read",),
    "todo": ("TodoWrite",),
    "write": ("Write",),
}
"""The tools with their names there, of which the first one is sent. All others have the same name."""

_OTHERS = """
askuserquestion bashoutput enterplanmode exitplanmode killshell lsp notebookedit notebookread skill slashcommand
taskoutput todoread websearch
"""
TOOLS = frozenset((*_OTHERS.split(), *(each.casefold() for names in _NAMES.values() for each in names), *_NAMES))
"""The tools of both, in small letters."""

RULED = frozenset(name for tool in ("bash", "edit", "fetch", "read", "write") for name in _NAMES[tool])
"""The tools there that rules are mostly about."""

_ARGUMENTS = {
    "agent": {"task": "prompt", "agent": "subagent_type"},
    "bash": {"background": "run_in_background"},
    "edit": {"path": "file_path"},
    "read": {"path": "file_path"},
    "todo": {"items": "todos"},
    "write": {"path": "file_path"},
}
"""Arguments that have another name there, by tool."""


def claude_names(tool: str) -> tuple[str, ...]:
    """Return the names of a tool that a matcher may mean."""
    return (*_NAMES.get(tool, ()), tool)


def claude_input(tool: str, arguments: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the arguments of a call as Claude Code has them; `path` is that of its file, absolute, if it has one.

    Several replacements of one edit are in `edits`; `old_string` and `new_string` then have all their texts.
    """
    others = _ARGUMENTS.get(tool, {})
    given = {others.get(name, name): value for name, value in arguments.items()}
    if "file_path" in given and path:
        given["file_path"] = path
    if tool == "bash" and isinstance(given.get("timeout"), int | float):
        given["timeout"] = int(given["timeout"] * 1000)
    edits = given.get("edits")
    if tool == "edit" and isinstance(edits, list):
        pairs = [(each.get("oldText", ""), each.get("newText", "")) for each in edits if isinstance(each, dict)]
        given["old_string"] = "\n".join(old for old, _ in pairs)
        given["new_string"] = "\n".join(new for _, new in pairs)
        given["replace_all"] = False
        given["edits"] = [{"old_string": old, "new_string": new} for old, new in pairs]
        if len(pairs) == 1:
            del given["edits"]
    return given


def own_arguments(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that Claude Code would make with `given`."""
    own = {theirs: name for name, theirs in _ARGUMENTS.get(tool, {}).items()}
    arguments = {own.get(name, name): value for name, value in given.items()}
    if tool == "bash":
        arguments.pop("description", None)
        if isinstance(arguments.get("timeout"), int | float):
            arguments["timeout"] /= 1000
    if tool == "edit":
        old, new = arguments.pop("old_string", ""), arguments.pop("new_string", "")
        arguments.pop("replace_all", None)
        edits = arguments.get("edits") or [{"old_string": old, "new_string": new}]
        arguments["edits"] = [
            {"oldText": each.get("old_string", ""), "newText": each.get("new_string", "")}
            for each in edits
            if isinstance(each, dict)
        ]
    return arguments
