"""`read_file`: the servers of a file, as they are written; `check_files`: whether what holds them back can be read.

A server with a mistake in what holds it back is not started, and zot does not start with such a file. It reads them
before its first request, so this module imports little.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from zot_ext.regular_file import read_regular

KEY = "mcpServers"
FILE_BYTES = 1 << 20
"""The most bytes of a file."""
_MARK = b"\xef\xbb\xbf"
"""Some editors for Windows write it before UTF-8."""
_SWITCHES = ("disabled", "enabled")
_CHOICES = {"sampling": ("ask", "allow", "deny")}
_OTHERS = (
    "command", "args", "env", "cwd", "url", "headers", "type", "timeout", "startup_timeout", "deferred", "oauth",
    "description", "name", "disable_auth", "envFile", "environment", "http_headers", "env_http_headers", "env_vars",
    "requestInit",
)  # fmt: skip
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
        more = {name: value for name, value in whole.items() if name != KEY}
        if more and (field := _beside(more)):
            raise ConfigProblem(f"{path}: {field!r} holds no server back here; write disabled into the server")
        for name, given in _servers(path, whole).items():
            if isinstance(given, dict) and (mistake := narrowing_mistake(given)):
                raise ConfigProblem(f"{path}: server {name!r}: {mistake}")


def _beside(fields: dict[str, Any]) -> str:
    from zot_agent.mcp.unknown_fields import beside  # noqa: PLC0415  few files have fields beside the servers

    return beside(fields)


def narrowing_mistake(given: Mapping[str, Any], depth: int = _DEPTH) -> str:
    """Return what is wrong in the fields of a server that hold it back; empty if nothing is."""
    for field, value in given.items():
        if field in _SWITCHES and not isinstance(value, bool):
            return f"{field!r} is neither true nor false"
        if field in _CHOICES and value not in _CHOICES[field]:
            return f"{field!r} is {', '.join(_CHOICES[field][:-1])} or {_CHOICES[field][-1]}"
        if field in (*_SWITCHES, *_CHOICES, *_OTHERS):
            continue
        from zot_agent.mcp.unknown_fields import describes, mistake_in  # noqa: PLC0415  few servers have other fields

        if describes(field):
            continue
        if mistake := mistake_in(field, value, _SWITCHES, _CHOICES):
            return mistake
        if isinstance(value, dict) and depth and (mistake := narrowing_mistake(value, depth - 1)):
            return f"in {field!r:.40} {mistake}"
    return ""


def of_no_server(rules: Iterable[tuple[str, str]], paths: Iterable[str]) -> list[str]:
    """Return a line for each of `rules`, which are sources and texts, whose server none of the files names. Raises
    `ConfigProblem` for a file that cannot be read."""
    from zot_agent.mcp.names import joined  # noqa: PLC0415  few people have rules about servers
    from zot_ext.near_names import nearest  # noqa: PLC0415

    known = {joined(name, "").removesuffix("__").casefold(): name for path in paths for name in read_file(path)}
    lines = []
    for source, text in rules:
        tool = text.strip().partition("(")[0].casefold()
        server = f"mcp__{tool.removeprefix('mcp__').partition('__')[0]}"
        if server == "mcp__*" or any(fnmatchcase(each, server) for each in known):
            continue
        near = nearest(server.rstrip("*"), known)
        meant = f"; did you mean {known[near]}?" if near else ""
        lines.append(f"{source}: {text!r:.80}: no mcp.json that counts here names the server{meant}")
    return lines
