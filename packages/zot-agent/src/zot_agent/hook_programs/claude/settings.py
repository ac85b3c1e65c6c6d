"""Reads `hooks` in the settings of Claude Code in a project, as far as zot can run them.

```json
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 60}]}]}}
```

The files are another program's, so what zot does not know in them is a line for the person and no error.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from zot_agent.config.settings import read_json_object
from zot_agent.hook_programs.claude.events import CLAUDE_EVENTS
from zot_agent.hook_programs.events import KNOWN
from zot_agent.hook_programs.program import DEFAULT_LIMITS, HookProgram
from zot_provider.json_text import describe

_SECONDS = 600.0
"""Without a `timeout`."""
_ANY = ("", "*")
_KNOWN = ("type", "command", "args", "timeout", "async", "statusMessage", "once")


class _NotRun(Exception):
    """A hook that zot does not run; `str(error)` says why."""


def claude_programs(paths: Iterable[str]) -> tuple[list[HookProgram], list[str]]:
    """Return the programs of these files that zot runs, and a line for each file with hooks that it does not run.
    `disableAllHooks` of the last file that has it counts for all. Raises `ConfigError` for a file that cannot be read,
    because it could name a guard."""
    programs: list[HookProgram] = []
    notes: list[str] = []
    disabled = False
    for path in paths:
        content = read_json_object(path)
        disabled = content.get("disableAllHooks", disabled) is True
        skipped: dict[str, None] = {}
        for name, entry, matcher in _entries(content.get("hooks")):
            try:
                programs.append(_read(name, entry, matcher, path))
            except _NotRun as error:
                skipped[f"{name} ({error})"] = None
        if skipped:
            notes.append(f"{path}: zot does not run these hooks: {', '.join(skipped)}")
    return ([], []) if disabled else (programs, notes)


def _entries(hooks: object) -> Iterator[tuple[str, object, object]]:
    """Yield the name of the event, the entry and the matcher of each hook."""
    for name, groups in hooks.items() if isinstance(hooks, dict) else ():
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
    command, arguments, seconds = entry.get("command"), entry.get("args", []), entry.get("timeout", _SECONDS)
    if not isinstance(command, str) or not command.strip() or "\0" in command or not isinstance(arguments, list):
        raise _NotRun("no command")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        raise _NotRun(f"the timeout {describe(seconds)}")
    return HookProgram(
        row.event,
        shlex.join([command, *map(str, arguments)]) if arguments else command,
        path,
        _expression(matcher),
        min(float(seconds), DEFAULT_LIMITS.most_seconds),
        waits=entry.get("async") is not True,
        claude=name,
    )


def _expression(matcher: object) -> str:
    if not isinstance(matcher, str):
        raise _NotRun(f"the matcher {describe(matcher)}")
    if matcher in _ANY:
        return ""
    try:
        re.compile(matcher)
    except re.error as error:
        raise _NotRun(f"the matcher {matcher!r}: {error}") from None
    return matcher
