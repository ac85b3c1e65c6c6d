"""Reads the setting `hooks`: `{"tool_call": [{"match": "edit|write", "command": "..."}]}`.

A hook may be a guard, so nothing that is wrong is left out: it is an error that names the file and the place.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from zot_agent.config.settings import Settings
from zot_agent.hook_programs.events import KNOWN, OBSERVED
from zot_agent.hook_programs.program import DEFAULT_LIMITS, HookProgram
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.json_text import describe

_OF_TOOLS = "tool_"


def programs_of_settings(settings: Settings, project: str = "") -> list[HookProgram]:
    """Return the programs of all layers, the person's own first. Programs of `project`, the path of a file, cannot
    leave the sandbox. Raises `ConfigError`."""
    key = Settings.hooks.key
    return [
        program
        for layer in settings.layers
        for program in read_programs(layer.values.get(key, {}), layer.source, may_leave=layer.source != project)
    ]


def read_programs(value: Mapping[str, Any], source: str, *, may_leave: bool = True) -> list[HookProgram]:
    """Return the programs that an object `hooks` of the file `source` names. Only if they `may_leave` the sandbox can
    one of them say that it does. Raises `ConfigError`."""
    found = []
    for event, entries in value.items():
        where = f"{source}: hooks.{event}"
        if event not in KNOWN:
            from zot_agent.hook_programs.claude.events import CLAUDE_EVENTS  # noqa: PLC0415  only for a mistake

            there = CLAUDE_EVENTS.get(event)
            here = f"{event} of Claude Code is {there.event} here" if there else ""
            raise ConfigError(f"{source}: hooks: {here or UnknownName.among('event', event, KNOWN)}")
        if not isinstance(entries, list):
            raise ConfigError(f"{where}: expected a list of programs, got {describe(entries)}")
        for number, entry in enumerate(entries):
            place = f"{where}[{number}]"
            if not isinstance(entry, dict):
                raise ConfigError(f"{place}: expected an object, got {describe(entry)}")
            found.append(_read(event, entry, source, place))
            if not (may_leave or found[-1].sandboxed):
                raise ConfigError(f"{place}.sandbox: only your own settings can let a program leave the sandbox")
    return found


def _read(event: str, entry: Mapping[str, Any], source: str, place: str) -> HookProgram:
    unknown = [name for name in entry if name not in _FIELDS]
    if unknown:
        raise ConfigError(f"{place}: {UnknownName.among('key', unknown[0], _FIELDS)}")
    values: dict[str, Any] = {}
    for name, value in entry.items():
        field, read = _FIELDS[name]
        try:
            values[field] = read(value)
        except ValueError as error:
            raise ConfigError(f"{place}.{name}: {error}") from None
    if "command" not in values:
        raise ConfigError(f"{place}: the key 'command' is missing")
    program = HookProgram(event=event, source=source, **values)
    if program.match and not event.startswith(_OF_TOOLS):
        raise ConfigError(f"{place}.match: {event} is not about a tool")
    if program.blocks_on_failure and not program.answers:
        raise ConfigError(f"{place}.on_failure: this only observes {event}, which cannot be blocked then")
    if not program.waits and event not in OBSERVED:
        raise ConfigError(f"{place}.wait: {event} can only be waited for")
    return program


def _command(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(f"expected a command for the shell, got {describe(value)}")
    return value


def _match(value: object) -> str:
    """Return a regular expression for `edit|write`; `*` is any text. Other names mean what they mean in rules, also in
    the spelling of Claude Code."""
    if not isinstance(value, str):
        raise ValueError(f"expected names with | between, got {describe(value)}")
    if found := re.search(r"[^\w*|\s-]", value):
        raise ValueError(f"expected names with | between, in which * is any text, got {found[0]!r}")
    names = [name.strip() for name in value.split("|") if name.strip()]
    tools = [name if "*" in name else _tool(name) for name in names]
    return "" if "*" in names else "|".join(tool.replace("*", ".*") for tool in tools)


def _tool(name: str) -> str:
    from zot_core.permissions.rule import COMMANDS, OWN, PATTERNED, WEB, parse_rule  # noqa: PLC0415  few are for some tools only
    from zot_core.permissions.unmatchable import ALL, PROGRAMS, near_tool, other_tool  # noqa: PLC0415  as above

    tool = parse_rule("deny", name).tool
    other = "*" if tool.casefold() in ALL else COMMANDS if tool.casefold() in PROGRAMS else other_tool(tool)
    if near := near_tool(tool, (WEB, *OWN)) or (other if other in ("*", *PATTERNED) else ""):
        raise ValueError(f"there is no tool {name}; did you mean {near}?")
    return tool


def _seconds(value: object) -> float:
    most = DEFAULT_LIMITS.most_seconds
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise ValueError(f"expected seconds, more than 0 and at most {most:g}, got {describe(value)}")
    return float(value)


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {describe(value)}")
    return value


def _blocks(value: object) -> bool:
    if value not in ("allow", "block"):
        raise ValueError(f'expected "allow" or "block", got {describe(value)}')
    return value == "block"


_FIELDS: Mapping[str, tuple[str, Callable[[object], object]]] = {
    "command": ("command", _command),
    "match": ("match", _match),
    "timeout": ("seconds", _seconds),
    "wait": ("waits", _switch),
    "on_failure": ("blocks_on_failure", _blocks),
    "sandbox": ("sandboxed", _switch),
}
"""The keys of an entry, each with the field of `HookProgram` and its reader, which raises ValueError."""
