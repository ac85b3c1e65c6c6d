"""Reads `permissions` in the settings of Claude Code: what is denied there, or asked about, is so in zot.

```json
{"permissions": {"deny": ["Read(.env)", "Bash(curl:*)"], "ask": ["Bash(git push:*)"]}}
```

The format is described at https://code.claude.com/docs/en/permissions. What is allowed there is not allowed here.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from zot_agent.config.settings import Layer, Settings
from zot_agent.hook_programs.claude.events import GUARDS
from zot_agent.hook_programs.claude.tools import RULED
from zot_provider.errors import ConfigError
from zot_provider.json_file import read_json_object
from zot_provider.json_text import describe
from zot_provider.near_names import holds_back, nearest

_CAREFUL = ("ask", "deny")
_CARELESS = (None, "acceptEdits", "auto", "bypassPermissions")
"""Values of `defaultMode` by which fewer questions are asked."""
_OF_FILES = r"(?is)(read|(?:multi|notebook)?edit|write)\((.+)\)"

_SERVERS = ("disabledMcpjsonServers", "deniedMcpServers", "disabledMcpServers")
_HOOKS = "hooks"
_HELD = ("permissions", _HOOKS, "sandbox", *_SERVERS)
"""Settings there that hold something back."""
_OTHERS = (
    "allowedMcpServers", "allowManagedHooksOnly", "allowManagedMcpServersOnly", "allowManagedPermissionRulesOnly",
    "enableAllProjectMcpServers", "enabledMcpjsonServers", "enabledMcpServers", "env", "pluginConfigs",
)  # fmt: skip
"""Other settings there, whose names resemble those, or in which other programs may have rules."""
_ELSEWHERE = (
    "approvalMode", "approvalPolicy", "deniedTools", "denyTools", "disallowedTools", "excludeTools", "readOnly",
    "sandboxEnabled", "sandboxMode",
)  # fmt: skip
"""Names for that on the command line there, and in other programs."""
_MODE, _PLAN = "defaultMode", "plan"
_PARTS = (
    *_CAREFUL, "additionalDirectories", "allow", _MODE, "disableAutoMode", "disableBypassPermissionsMode",
)  # fmt: skip
"""The parts of `permissions` there."""
_ALIKE = 0.8

_NAMED = ("agent", "skill", "slashcommand", "task")
"""Tools there whose patterns are names, for which zot's rules have no words."""


def claude_layers(paths: Iterable[str], said: Collection[str] = (), own: str = "") -> list[Layer]:
    """Return a layer for each of these files, or links, with rules that deny or ask as its only value. What else holds
    back there is named in its problems, unless the person has `said` it to zot: "mode", "sandbox", "hooks". Hooks
    run, except in the `own` file of the person. A name that Claude Code does not have, and that resembles a name by
    which it holds back, is an error."""
    return [_layer(path, said if path == own else (*said, _HOOKS)) for path in paths]


def _layer(path: str, said: Collection[str]) -> Layer:
    layer = Layer(path)
    try:
        if not os.path.exists(path):
            raise ConfigError(f"cannot read {path}: the link leads nowhere")
        content = read_json_object(path)
        permissions = content.get("permissions") or {}
        if not isinstance(permissions, dict):
            raise ConfigError(f"{path}: permissions: expected an object, got {describe(permissions)}")
        _check_names(content, permissions, path)
        given = {action: permissions[action] for action in _CAREFUL if permissions.get(action)}
        if given:
            from zot_core.permissions.rule import parse_permissions  # noqa: PLC0415  most files have no such rules

            parse_permissions({action: _readable(rules) for action, rules in given.items()}, path)
        rules = {action: [each for rule in given[action] for each in in_zot(rule)] for action in given}
    except ConfigError as error:
        layer.errors.append(f"{error} (--ignore-settings starts without it)")
        return layer
    if any(rules.values()):
        layer.values[Settings.permissions.key] = rules
    if unused := [*_unused(content, permissions, said)]:
        layer.problems.append(f"{path}: zot does not use {', '.join(unused)}; use its own settings to hold that back")
    return layer


def _check_names(content: Mapping[str, Any], permissions: Mapping[str, Any], path: str) -> None:
    """Raise `ConfigError` for a name that neither program reads, and that seems meant to hold something back. Any other
    name is for Claude Code to know."""
    if guard := _misplaced_guard(content):
        raise _no_setting(path, guard, f"{_HOOKS}.{nearest(guard.rpartition('.')[2], GUARDS)}")
    for name, inside in content.items():
        if name in (*_HELD, *_OTHERS):
            continue
        if (near := nearest(name, (*_HELD, *_OTHERS), _ALIKE)) in _HELD:
            raise _no_setting(path, name, near)
        if name in _CAREFUL or (inside and not name.startswith("allow") and nearest(name, _ELSEWHERE, _ALIKE)):
            raise _no_setting(path, name, "permissions.ask" if name == "ask" else "permissions.deny")
        if (name == _MODE and inside not in _CARELESS) or (name.lower().endswith("mode") and inside == _PLAN):
            raise _no_setting(path, name, f"permissions.{_MODE}")
        if isinstance(inside, dict) and isinstance(inside.get("permissions"), dict):
            raise _no_setting(path, f"{name}.permissions", "permissions")
        if isinstance(inside, dict) and (action := next((k for k in _CAREFUL if isinstance(inside.get(k), list)), "")):
            raise _no_setting(path, f"{name}.{action}", f"permissions.{action}")
        if not name.startswith("allow") and _names_tools(inside):
            raise _no_setting(path, name, "permissions.deny")
    for name in (each for each in permissions if each not in _PARTS and permissions[each] not in _CARELESS):
        near = nearest(name, _PARTS, _ALIKE)
        if not near and (holds_back(name) or _has_rules(permissions[name])):
            near = _CAREFUL[-1]
        if near in (*_CAREFUL, _MODE):
            raise _no_setting(path, f"permissions.{name}", f"permissions.{near}")


def _misplaced_guard(content: Mapping[str, Any]) -> str:
    """Return the path of an event at which a hook can refuse, where Claude Code looks for no hooks."""
    hooks = content.get(_HOOKS)
    inside = {f"{_HOOKS}.{name}": each for name, each in hooks.items()} if isinstance(hooks, dict) else {}
    outside = {name: each for name, each in content.items() if name not in (*_HELD, *_OTHERS)}
    places = {"": outside} | {f"{at}.": each for at, each in (outside | inside).items() if isinstance(each, dict)}
    names = (at + name for at, members in places.items() for name, each in members.items() if each)
    return next((each for each in names if nearest(each.rpartition(".")[2], GUARDS, _ALIKE)), "")


def _no_setting(path: str, name: str, near: str) -> ConfigError:
    return ConfigError(f"{path}: Claude Code has no setting {name!r:.60}; did you mean {near}?")


def _has_rules(value: object) -> bool:
    """Whether a value in `permissions` may hold back: a list, a mode, or an action for each tool as in other
    programs."""
    if isinstance(value, dict):
        return any(map(_has_rules, value.values()))
    return value in (*_CAREFUL, _PLAN) or (isinstance(value, list) and bool(value))


def _names_tools(value: object) -> bool:
    """Whether a value anywhere else has rules about tools there: texts of a list, or keys with an action."""
    if isinstance(value, dict):
        return any(
            (_names_tools([name]) and each in (*_CAREFUL, False)) or _names_tools(each) for name, each in value.items()
        )
    return isinstance(value, list) and any(
        (isinstance(each, str) and each.partition("(")[0] in RULED) or _names_tools(each) for each in value
    )


def _readable(rules: object) -> object:
    """Return the rules that zot has words for; as they are if they are no list."""
    if not isinstance(rules, list):
        return rules
    return [each for each in rules if not (isinstance(each, str) and _unknown(each))]


def _unknown(rule: str) -> bool:
    """Whether a rule is about what zot has no tool for."""
    from zot_core.permissions.unmatchable import OF_OTHERS  # noqa: PLC0415  most files have no rules that hold back

    tool, has_pattern, _ = rule.strip().partition("(")
    return tool.casefold() in OF_OTHERS or (bool(has_pattern) and tool.casefold() in _NAMED)


def in_zot(rule: str) -> list[str]:
    """Return rules of zot for all that a rule covers there, where a path is one of a `.gitignore`: a name without a
    slash counts in every folder, and `/` is the project. Who takes that for the root gets what they mean, too. Nothing
    for what zot's rules have no words for."""
    if _unknown(rule):
        return []
    found = re.fullmatch(_OF_FILES, rule.strip())
    path = found[2].strip() if found else ""
    if path.startswith("/") and not path.startswith("//"):
        more = f".{path}"
    elif "/" not in path.rstrip("/") and not path.startswith("~"):
        more = f"**/{path}"
    else:
        return [rule]
    return [rule, f"{found[1]}({more})"] if found else [rule]


def _unused(content: Mapping[str, Any], permissions: Mapping[str, Any], said: Collection[str]) -> Iterator[str]:
    if "mode" not in said and permissions.get(_MODE) not in _CARELESS:
        yield f"permissions.{_MODE}"
    if "mode" not in said and permissions.get("disableBypassPermissionsMode") is not None:
        yield "permissions.disableBypassPermissionsMode"
    for action in _CAREFUL:
        yield from (f"permissions.{action} {each}" for each in permissions.get(action) or () if not in_zot(each))
    walls = content.get("sandbox")
    on = any(walls[each] for each in walls if nearest(each, ("enabled",), _ALIKE)) if isinstance(walls, dict) else walls
    if "sandbox" not in said and on:
        yield "sandbox"
    yield from (name for name in _SERVERS if content.get(name))
    hooks = content.get(_HOOKS) if _HOOKS not in said else None
    yield from (f"{_HOOKS}.{name}" for name in GUARDS if isinstance(hooks, dict) and hooks.get(name))
