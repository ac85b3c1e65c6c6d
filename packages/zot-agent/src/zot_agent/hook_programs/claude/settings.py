"""Reads `hooks` in the settings of Claude Code in a project, as far as zot can run them.

```json
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 60}]}]}}
```

The files are another program's, so what zot does not know in them is a line for the person. It is an error where it
may be there to refuse: at an event at which a hook can refuse something, or one whose name is nearly that.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from zot_agent.hook_programs.claude.events import CLAUDE_EVENTS, GUARDS, is_about_calls
from zot_agent.hook_programs.claude.rules import in_zot
from zot_agent.hook_programs.claude.tools import TOOLS
from zot_agent.hook_programs.events import KNOWN
from zot_agent.hook_programs.program import DEFAULT_LIMITS, HookProgram
from zot_provider.errors import ConfigError
from zot_provider.json_file import read_json_object
from zot_provider.json_text import describe
from zot_provider.near_names import nearest

if TYPE_CHECKING:
    from zot_core.permissions.rule import Rule

_SECONDS = 600.0
"""Without a `timeout`."""
_ANY = ("", "*")
_NAMES = re.compile(r"[\w, |-]*")
"""A matcher of these letters is a list of names; any other is a regular expression for a part of a name."""
_SERVER = re.compile(r"mcp__(?:(?!__).)+")
_KNOWN = (
    "type", "if", "command", "args", "timeout", "async", "asyncRewake", "onFailure", "statusMessage", "once", "shell",
    "name", "description", "comment", "_comment",
)  # fmt: skip
_SHELLS = ("bash", "sh")
_ELSEWHERE = ("BeforeTool", "beforeMCPExecution", "beforeReadFile", "beforeShellExecution", "tool_call")
"""Events of other programs, and of zot's own settings, at which a hook refuses."""


class _NotRun(Exception):
    """A hook that zot does not run; `str(error)` says why."""


def claude_programs(paths: Iterable[str]) -> tuple[list[HookProgram], list[str]]:
    """Return the programs of these files that zot runs, and a line for each file with hooks that it does not run, or
    runs at more calls than Claude Code does. `disableAllHooks` of the last file that has it counts for all. Raises
    `ConfigError` for a file that cannot be read, because it could name a guard, and for a guard that zot cannot run."""
    programs: list[HookProgram] = []
    notes: list[str] = []
    disabled, unable = False, ""
    for path in paths:
        content = read_json_object(path)
        disabled = content.get("disableAllHooks", disabled) is True
        skipped: dict[str, None] = {}
        more: dict[str, None] = {}
        hooks = content.get("hooks") or {}
        if not isinstance(hooks, dict):
            raise ConfigError(f"{path}: hooks: expected an object, got {describe(hooks)}")
        for name, entry, matcher in _entries(hooks):
            try:
                programs.append(program := _read(name, entry, matcher, path))
                if not program.rules and (condition := _condition(entry, matcher)) is not None:
                    more[f"{name} (if {describe(condition)})"] = None
            except _NotRun as error:
                skipped[f"{name} ({error})"] = None
                if nearest(name, CLAUDE_EVENTS) in GUARDS or name in _ELSEWHERE:
                    unable = unable or f"{path}: hooks.{name}: {error}"
        if skipped:
            notes.append(f"{path}: zot does not run these hooks: {', '.join(skipped)}")
        if more:
            notes.append(f"{path}: zot does not understand when these hooks run, so they always do: {', '.join(more)}")
    if unable and not disabled:
        raise ConfigError(f"{unable}; zot cannot run this guard, so it does not start without disableAllHooks")
    return ([], []) if disabled else (programs, notes)


def _entries(hooks: Mapping[str, Any]) -> Iterator[tuple[str, object, object]]:
    """Yield the name of the event, the entry and the matcher of each hook."""
    for name, groups in hooks.items():
        for group in groups if isinstance(groups, list) else [groups]:
            inside = group.get("hooks") if isinstance(group, dict) else None
            for entry in inside if isinstance(inside, list) else [None]:
                yield name, entry, group.get("matcher", "") if isinstance(group, dict) else ""


def _read(name: str, entry: Any, matcher: object, path: str) -> HookProgram:
    row = CLAUDE_EVENTS.get(name)
    if row is None or row.event not in KNOWN:
        raise _NotRun("no such event in zot")
    if not isinstance(entry, dict):
        raise _NotRun(f"expected an object, got {describe(entry)}")
    if entry.get("type") != "command":
        raise _NotRun(f"the type {describe(entry.get('type'))}")
    if unknown := [key for key in entry if key not in _KNOWN]:
        raise _NotRun(f"the key {unknown[0]!r}")
    condition = _condition(entry, matcher)
    if condition is not None and not is_about_calls(row) and name not in GUARDS:
        raise _NotRun("it has an 'if', and is about no call")
    if entry.get("shell", "bash") not in _SHELLS:
        raise _NotRun(f"the shell {describe(entry['shell'])}")
    command, arguments, seconds = entry.get("command"), entry.get("args", []), entry.get("timeout", _SECONDS)
    if not isinstance(command, str) or not command.strip() or "\0" in command or not isinstance(arguments, list):
        raise _NotRun("no command")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        raise _NotRun(f"the timeout {describe(seconds)}")
    failure = entry.get("onFailure", "allow")
    if failure not in ("allow", "block"):
        raise _NotRun(f"onFailure {describe(failure)}")
    return HookProgram(
        row.event,
        shlex.join([command, *map(str, arguments)]) if arguments else command,
        path,
        _expression(matcher),
        min(float(seconds), DEFAULT_LIMITS.most_seconds),
        waits=entry.get("async") is not True and entry.get("asyncRewake") is not True,
        blocks_on_failure=failure == "block",
        claude=name,
        rules=_rules(condition) if is_about_calls(row) else (),
    )


def _condition(entry: Any, matcher: object) -> object:
    """Return the rules for whose calls alone a hook runs; None if it is for all."""
    condition = entry.get("if") if isinstance(entry, dict) else None
    return (matcher if _written_rules(matcher) else None) if condition in (None, *_ANY) else condition


def _rules(condition: object) -> "Sequence[Rule]":
    """Return the rules of a condition, empty without a condition and where zot does not understand it."""
    if not isinstance(condition, str):
        return ()
    from zot_core.permissions.rule import parse_permissions  # noqa: PLC0415  few hooks have a condition

    found = [in_zot(each) for each in _parts(condition)]
    try:
        return tuple(parse_permissions({"ask": [*chain(*found)]}, "").rules) if all(found) else ()
    except ConfigError:
        return ()


def _parts(text: str) -> list[str]:
    """Return the rules in a text such as `Bash(git *)|Edit(*.ts)`."""
    return re.split(r"(?<=\))\s*\|\s*", text.strip())


def _written_rules(matcher: object) -> list[str]:
    """Return the rules that a matcher consists of, as many people write it; Claude Code takes them for an expression,
    which fits no tool."""
    found = _parts(matcher) if isinstance(matcher, str) and not _fits(matcher) else []
    return found if all(re.fullmatch(r"(?s)\w+\(.+\)", each) for each in found) else []


def _fits(matcher: str) -> bool:
    """Whether an expression is for some tool that zot knows, or for tools of servers."""
    try:
        return "mcp__" in matcher or any(re.search(matcher, tool, re.IGNORECASE) for tool in TOOLS)
    except re.error:
        return False


def _check_names(names: Iterable[str]) -> None:
    from zot_core.permissions.rule import PATTERNED  # noqa: PLC0415  few hooks are for some tools only
    from zot_core.permissions.unmatchable import near_tool, other_tool  # noqa: PLC0415  as above

    for name in (each for each in names if each.casefold() not in TOOLS):
        other = other_tool(name)
        if near := near_tool(name, TOOLS) or (other if other in PATTERNED else ""):
            raise _NotRun(f"the matcher {name!r}, which is no tool but nearly {near!r}")


def _expression(matcher: object) -> str:
    """Return a regular expression for the whole of a name."""
    if not isinstance(matcher, str):
        raise _NotRun(f"the matcher {describe(matcher)}")
    if matcher in _ANY:
        return ""
    if _NAMES.fullmatch(matcher):
        names = [name for name in re.split(r"[, |]+", matcher) if name]
        _check_names(names)
        return "|".join(f"{name}__.*" if _SERVER.fullmatch(name) else name for name in names)
    if rules := _written_rules(matcher):
        tools = [each.partition("(")[0] for each in rules]
        _check_names(tools)
        return "|".join(tools)
    try:
        re.compile(matcher)
    except re.error as error:
        raise _NotRun(f"the matcher {matcher!r}: {error}") from None
    words = () if _fits(matcher) else re.findall(r"[A-Za-z]{3,}", matcher)
    _check_names(words)
    if tool := next((each for each in words if each.casefold() in TOOLS), ""):
        raise _NotRun(f"the matcher {matcher!r}, an expression that names {tool} and fits no tool")
    return f".*(?:{matcher}).*"
