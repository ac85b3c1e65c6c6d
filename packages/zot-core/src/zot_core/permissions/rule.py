"""`Rule`: one line of the settings `permissions`, and how such settings are read."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from zot_core.machine.hosts import HostPattern
from zot_core.permission_mode import MODES, PermissionMode
from zot_core.permissions.patterns import CommandPattern, PathPattern
from zot_provider.errors import ConfigError
from zot_provider.json_text import describe
from zot_provider.record import Record, field

Action: TypeAlias = Literal["allow", "ask", "deny"]

ACTIONS: tuple[Action, ...] = get_args(Action)

READ = "read"
WRITES = ("edit", "write")
"""Tools by whose names rules speak of every tool that reads files, and of every tool that writes files."""
FILES = (READ, *WRITES)
"""Tools whose rules are also about the files that a command names."""
COMMANDS = "bash"
WEB = "fetch"
"""The tool whose rules are about hosts."""
SERVER = "mcp__"
"""The beginning of the names of MCP servers' tools: `mcp__SERVER__TOOL`."""
OWN = ("agent", "job", "todo")
"""Built-in tools that neither write files nor start anything; they run unless a rule names them."""

_OTHER_NAMES = {"multiedit": "edit", "notebookedit": "edit", "task": "agent", "todowrite": "todo", "webfetch": WEB}
"""Tools of Claude Code that have other names here; letters may be large in all of them."""

_PATTERNS: dict[str, type[CommandPattern | HostPattern | PathPattern]] = {
    READ: PathPattern,
    WEB: HostPattern,
    **dict.fromkeys(WRITES, PathPattern),
}
"""The patterns of tools whose rules are not about words."""

PATTERNED = (COMMANDS, *FILES, WEB)
"""Tools by whose patterns rules hold back what matters most."""
_RULE = re.compile(r"(?P<tool>mcp__[\w.:-]*\*|[\w.:-]+)(?:\((?P<pattern>.+)\))?", re.DOTALL)
"""A `*` covers the tools of a server: `mcp__time__*`. Rules of other tools are about words."""


class Rule(Record):
    """A rule: `text` as it was written, `source` the file and key it comes from, `pattern` None for every call."""

    action: Action
    text: str
    tool: str
    source: str = ""
    pattern: CommandPattern | PathPattern | HostPattern | None = None

    def names(self, tool: str) -> bool:
        """Return whether it is about the tool of this name."""
        own, name = self.tool.casefold(), tool.casefold()
        return name.startswith(own[:-1]) if own.endswith("*") else name == own


def there(rule: Rule, home: str) -> Rule:
    """Return a rule as it applies on another machine, whose home folder is `home`."""
    if not isinstance(rule.pattern, PathPattern):
        return rule
    return rule.replace(pattern=PathPattern(rule.pattern.text, careful=rule.pattern.careful, home=home))


class PermissionSettings(Record):
    """The rules of one file, and the mode it chooses; None if it chooses none."""

    rules: list[Rule] = field(default_factory=list)
    mode: PermissionMode | None = None


def parse_rule(action: Action, text: str, source: str = "") -> Rule:
    """Parse a rule, in the form of zot or in that of Claude Code: `Bash(git add:*)`, `Bash(*)` for every command,
    `WebFetch(domain:example.com)`, `mcp__SERVER` for all tools of a server. Raises `ConfigError`: one line that begins
    with `source`."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise _wrong(source, text, "expected TOOL or TOOL(PATTERN), such as bash(git status*)")
    tool, pattern = _OTHER_NAMES.get(found["tool"].casefold(), found["tool"]), (found["pattern"] or "").strip()
    if tool.casefold().startswith(SERVER) and "__" not in tool[len(SERVER) :] and not tool.endswith("*"):
        tool = f"{tool}__*"
    whole = ("*", ":*") if tool.casefold() == COMMANDS else () if action == "allow" else ("*", ":*", "**")
    if found["pattern"] is None or pattern in whole:
        return Rule(action, text.strip(), tool, source)
    kind = _PATTERNS.get(tool.casefold(), CommandPattern)
    if kind is HostPattern:
        pattern = pattern.removeprefix("domain:")
    try:
        return Rule(action, text.strip(), tool, source, kind(pattern, careful=action != "allow"))
    except ValueError as error:
        raise _wrong(source, text, str(error)) from error


def parse_permissions(value: object, source: str, *, typed: bool = True) -> PermissionSettings:
    """Parse the settings `permissions` from the file `source`. Raises `ConfigError` that names file and key; if a
    person has `typed` the rules, also for a rule that no call can match."""
    key = f"{source}: permissions"
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key}: expected an object, got {describe(value)}")
    unknown = [name for name in value if name not in (*ACTIONS, "mode")]
    if unknown:
        raise ConfigError(f"{key}: unknown key {unknown[0]!r}; the keys are {', '.join(ACTIONS)} and mode")
    mode = value.get("mode")
    if "mode" in value and mode not in MODES:
        raise ConfigError(f"{key}.mode: expected one of {', '.join(MODES)}, got {mode!r}")
    rules = [rule for action in ACTIONS for rule in _rules(action, value.get(action, []), f"{key}.{action}")]
    for rule in rules if typed else ():
        if why := _no_call(rule):
            raise _wrong(rule.source, rule.text, why)
    return PermissionSettings(rules, mode)


def _no_call(rule: Rule) -> str:
    """Return why no call can match a rule; empty if one can, perhaps of a tool that is not there yet."""
    from zot_core.permissions.unmatchable import unmatchable  # noqa: PLC0415  few people have rules

    if rule.tool.casefold().startswith(SERVER):
        if rule.tool.endswith("*") and rule.pattern is not None:
            return f"a rule about a server has no pattern: name the tool, {SERVER}SERVER__TOOL"
    elif meant := _meant(rule):
        return f"there is no tool {rule.tool}; did you mean {meant}?"
    return unmatchable(rule.pattern, commands=rule.tool.casefold() == COMMANDS)


def _meant(rule: Rule) -> str:
    """Return the tool or the rule that is meant by a rule about no tool of zot; empty if it may be about another's."""
    from zot_core.permissions.unmatchable import ALL, PROGRAMS, near_tool, other_word  # noqa: PLC0415  as above

    known = (READ, *WRITES, COMMANDS, WEB, *OWN)
    name, patterned = rule.tool.casefold(), "(" in rule.text
    head, _, last = name.replace(".", ":").partition(":")
    if last in known:
        return last
    if last and head in known:
        return f"{head}({rule.tool[len(head) + 1 :]})"
    if name.startswith("."):
        return f"{READ}({rule.tool})"
    if name in ALL:
        return f"{COMMANDS}, {WRITES[0]} or another tool, each in a rule of its own"
    if name in PROGRAMS:
        return f"{COMMANDS}({name} {rule.text.partition('(')[2].rstrip(')') or '*'})"
    if patterned and rule.action != "allow" and (other := other_word(name)) in PATTERNED:
        return other
    return near_tool(rule.tool, known)


def _rules(action: Action, value: Any, source: str) -> list[Rule]:
    if not isinstance(value, list):
        raise ConfigError(f"{source}: expected an array of rules, got {describe(value)}")
    for each in value:
        if not isinstance(each, str):
            raise ConfigError(f"{source}: expected a rule as text, got {describe(each)}")
    return [parse_rule(action, each, source) for each in value]


def _wrong(source: str, text: str, why: str) -> ConfigError:
    shown = repr(text if len(text) <= 80 else f"{text[:79]}…")
    return ConfigError(f"{source}: {shown}: {why}" if source else f"{shown}: {why}")
