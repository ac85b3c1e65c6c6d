"""`read_file`: the servers of a file, as they are written; `check_files`: whether what holds them back can be read.

A server with a mistake in what holds it back is not started, and zot does not start with such a file. It reads them
before its first request, so this module imports little.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from zot_ext.regular_file import read_regular

KEY = "mcpServers"
FILE_BYTES = 1 << 20
"""The most bytes of a file."""
_MARK = b"\xef\xbb\xbf"
"""Some editors for Windows write it before UTF-8."""
_SWITCHES = ("disabled", "enabled")
_CHOICES = {"sampling": ("ask", "allow", "deny")}
_FILTERS = ("includetools", "excludetools", "enabledtools", "disabledtools", "allowedtools", "deniedtools", "tools")
"""How other agents choose the tools of a server."""
_FORBIDS = (
    "approval", "block", "confine", "denied", "deny", "disallow", "exclude", "filter", "forbid", "permission",
    "readonly", "restrict", "sandbox",
)  # fmt: skip
"""Parts of names of fields by which other programs hold a server back."""
_FORBIDS_BESIDE = (*_FORBIDS, "allowed", "disable", "enable")
"""Parts of names of fields beside the servers by which other programs choose among them."""
_OTHERS = """
command args env cwd url headers type timeout startup_timeout deferred oauth description name disable_auth envFile
"""
_SIMILARITY = 0.8


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
        for field, value in whole.items():
            if field != KEY and value not in (None, False) and any(each in _plain(field) for each in _FORBIDS_BESIDE):
                raise ConfigProblem(f"{path}: {field!r} holds no server back here; write disabled into the server")
        for name, given in _servers(path, whole).items():
            if isinstance(given, dict) and (mistake := narrowing_mistake(given)):
                raise ConfigProblem(f"{path}: server {name!r}: {mistake}")


def narrowing_mistake(given: Mapping[str, Any]) -> str:
    """Return what is wrong in the fields of a server that hold it back; empty if nothing is."""
    for field, value in given.items():
        plain = _plain(field)
        if plain in _FILTERS and value not in (None, [], ["*"]):
            return f"zot chooses no tools by {field!r}; deny them with rules such as mcp__SERVER__TOOL"
        if field in _SWITCHES and not isinstance(value, bool):
            return f"{field!r} is neither true nor false"
        if field in _CHOICES and value not in _CHOICES[field]:
            return f"{field!r} is {', '.join(_CHOICES[field][:-1])} or {_CHOICES[field][-1]}"
        if field in (*_SWITCHES, *_CHOICES) or field in _OTHERS.split():
            continue
        if near := _near(plain):
            return f"there is no field {field!r}; did you mean {near!r}?"
        if value not in (None, False, [], {}) and any(word in plain for word in _FORBIDS):
            return f"the field {field!r} seems to hold it back, and zot does not know it; use rules such as mcp__SERVER"
    return ""


def _plain(field: str) -> str:
    return re.sub(r"[^a-z]", "", field.casefold())


def _near(plain: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  few files have unknown fields

    return next(iter(get_close_matches(plain, (*_SWITCHES, *_CHOICES), 1, _SIMILARITY)), "")
