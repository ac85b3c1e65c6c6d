"""`read_file`: the servers of a file, as they are written; `check_files`: whether what holds them back can be read.

A server with a mistake in what holds it back is not started, and zot does not start with such a file. It reads them
before its first request, so this module imports little.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from zot_ext.near_names import almost, folded, holds_back, nearest
from zot_ext.regular_file import read_regular

KEY = "mcpServers"
FILE_BYTES = 1 << 20
"""The most bytes of a file."""
_MARK = b"\xef\xbb\xbf"
"""Some editors for Windows write it before UTF-8."""
_SWITCHES = ("disabled", "enabled")
_CHOICES = {"sampling": ("ask", "allow", "deny")}
_FILTERS = (
    "includetools", "excludetools", "enabledtools", "disabledtools", "allowedtools", "deniedtools", "tools",
    "hiddentools", "ignoretools", "skiptools", "toolfilter", "allow", "allowed", "except", "only",
)  # fmt: skip
"""How other agents choose the tools of a server."""
_BESIDE = ("allowed", "disable", "enable")
"""Parts of names of fields beside the servers by which other programs choose among them."""
_OF_SERVERS = re.compile("disabled?(?:all|mcp|server|tool|$)")
"""Names of fields that turn servers off with `true`, too."""
_OTHERS = (
    "command", "args", "env", "cwd", "url", "headers", "type", "timeout", "startup_timeout", "deferred", "oauth",
    "description", "name", "disable_auth", "envFile", "environment", "http_headers", "env_http_headers", "env_vars",
    "requestInit",
)  # fmt: skip
_OFF = {
    "active": False,
    "autostart": False,
    "isactive": False,
    "isenabled": False,
    "on": False,
    "running": False,
} | dict.fromkeys(
    ("deactivated", "ignore", "ignored", "inactive", "isdisabled", "off", "paused", "skip", "stopped"), True
)
"""Switches of other programs in small letters, and the value of each by which a server is off."""
_STATES = ("access", "mode", "state", "status")
"""Fields of other programs whose text may be such a word."""
_ABOUT = re.compile(r"(?i).*schema|annotations|capabilities|(?:dev)?dependencies|meta(?:data)?|package|repository")
"""Fields that describe a server and its fields, whatever is inside."""
_NOTHING: Sequence[object] = (None, False, [], {}, "", "allow", "approve", "off")
"""Values by which nothing is held back."""
_PREFERENCES = "preferences"
"""The settings of Claude Desktop, which has them beside its servers."""
_SIMILARITY = 0.8
_DEPTH = 8


class ConfigProblem(ValueError):
    """A file or a server in it cannot be used; `str()` is one line."""


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise ConfigProblem("a key is there twice")
    return found


def read_file(path: str) -> dict[str, Any]:
    """Return the servers of a file as they are written; empty for a missing file. Raises `ConfigProblem`."""
    return _servers(path, _read_object(path))


def _servers(path: str, whole: dict[str, Any]) -> dict[str, Any]:
    servers = whole.get(KEY, {})
    if not isinstance(servers, dict):
        raise ConfigProblem(f'{path}: expected {{"{KEY}": {{...}}}}')
    return servers


def _read_object(path: str) -> dict[str, Any]:
    try:
        value = json.loads(read_regular(path, FILE_BYTES).removeprefix(_MARK).decode(), object_pairs_hook=_each_once)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigProblem(f"cannot read {path}: {error.strerror}") from None
    except ConfigProblem as error:
        raise ConfigProblem(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigProblem(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ConfigProblem(f'{path}: expected {{"{KEY}": {{...}}}}')
    return value


def check_files(paths: Iterable[str]) -> None:
    """Raise `ConfigProblem` for a file that cannot be read, and for a mistake in what holds a server back."""
    for path in paths:
        whole = _read_object(path)
        if field := _beside({name: value for name, value in whole.items() if name != KEY}):
            raise ConfigProblem(f"{path}: {field!r} holds no server back here; write disabled into the server")
        for name, given in _servers(path, whole).items():
            if isinstance(given, dict) and (mistake := narrowing_mistake(given)):
                raise ConfigProblem(f"{path}: server {name!r}: {mistake}")


def of_no_server(rules: Iterable[tuple[str, str]], paths: Iterable[str]) -> list[str]:
    """Return a line for each of `rules`, which are sources and texts, whose server none of the files names. Raises
    `ConfigProblem` for a file that cannot be read."""
    from zot_agent.mcp.names import joined  # noqa: PLC0415  few people have rules about servers

    known = {joined(name, "").removesuffix("__").casefold(): name for path in paths for name in read_file(path)}
    lines = []
    for source, text in rules:
        tool = text.strip().partition("(")[0].casefold()
        server = f"mcp__{tool.removeprefix('mcp__').partition('__')[0].removesuffix('*')}"
        if server in known or (tool.endswith("*") and any(each.startswith(tool[:-1]) for each in known)):
            continue
        near = nearest(server, known)
        meant = f"; did you mean {known[near]}?" if near else ""
        lines.append(f"{source}: {text!r:.80}: no mcp.json that counts here names the server{meant}")
    return lines


def _beside(fields: Mapping[str, Any], depth: int = _DEPTH) -> str:
    """Return the path of the first field beside the servers by which they seem to be chosen or held back."""
    for field, value in fields.items():
        parts = _BESIDE if depth == _DEPTH else _BESIDE[:1]
        if field == _PREFERENCES and depth == _DEPTH:
            continue
        own = folded(field)
        switch = value is True and not _OF_SERVERS.search(own)
        chooses = any(each in own for each in parts) and not switch
        chooses = chooses or holds_back(field) or bool(_like(field, _FILTERS))
        none_of = value == [] and ("allow" in own or "enable" in own)  # an empty list of what may run forbids all
        if (none_of or value not in _NOTHING) and (chooses or _off(field, value)):
            return field
        if isinstance(value, dict) and depth and (inner := _beside(value, depth - 1)):
            return f"{field}.{inner}"
    return ""


def narrowing_mistake(given: Mapping[str, Any], depth: int = _DEPTH) -> str:
    """Return what is wrong in the fields of a server that hold it back; empty if nothing is."""
    for field, value in given.items():
        if field in _SWITCHES and not isinstance(value, bool):
            return f"{field!r} is neither true nor false"
        if field in _CHOICES and value not in _CHOICES[field]:
            return f"{field!r} is {', '.join(_CHOICES[field][:-1])} or {_CHOICES[field][-1]}"
        if field in (*_SWITCHES, *_CHOICES, *_OTHERS) or _ABOUT.fullmatch(field):
            continue
        near = next((each for each in _CHOICES if each in folded(field)), "") or _like(field, (*_SWITCHES, *_CHOICES))
        if near in _SWITCHES and value is (near == "enabled"):
            continue  # `disable: false` and `isEnabled: true` of other programs hold nothing back
        if near:
            return f"there is no field {field!r}; did you mean {near!r}?"
        if _like(field, _FILTERS) and value not in (None, True, [], ["*"]):
            return f"zot chooses no tools by {field!r}; deny them with rules such as mcp__SERVER__TOOL"
        if _off(field, value):
            return f"there is no field {field!r}; did you mean 'disabled'?"
        if value not in _NOTHING and holds_back(field):
            return f"the field {field!r} seems to hold it back, and zot does not know it; use rules such as mcp__SERVER"
        if isinstance(value, dict) and depth and (mistake := narrowing_mistake(value, depth - 1)):
            return f"in {field!r:.40} {mistake}"
    return ""


def _like(field: str, names: Iterable[str]) -> str:
    return nearest(field, names, _SIMILARITY)


def _off(field: str, value: object) -> bool:
    """Whether a switch, or the word for a state, says that a server is off."""
    if isinstance(value, str) and almost(field, _STATES):
        return holds_back(value) or bool(almost(value, ("disabled", *(word for word, off in _OFF.items() if off))))
    return isinstance(value, bool) and _OFF.get(almost(field, _OFF)) is value
