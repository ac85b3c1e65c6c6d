"""`check_servers`: finds what a person wrote to hold a server back and zot would not understand.

A server with such a mistake is not started, and zot does not start with such a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SWITCHES = ("disabled", "enabled")
_CHOICES = {"sampling": ("ask", "allow", "deny")}
_FILTERS = ("includetools", "excludetools", "enabledtools", "disabledtools", "allowedtools", "deniedtools", "tools")
"""How other agents choose the tools of a server."""
_OTHERS = """
command args env cwd url headers type timeout startup_timeout deferred oauth description name disable_auth envFile
"""
_SIMILARITY = 0.8


def narrowing_mistake(given: Mapping[str, Any]) -> str:
    """Return what is wrong in the fields of a server that hold it back; empty if nothing is."""
    for field, value in given.items():
        plain = re.sub(r"[^a-z]", "", field.casefold())
        if plain in _FILTERS and value not in (None, [], ["*"]):
            return f"zot chooses no tools by {field!r}; deny them with rules such as mcp__SERVER__TOOL"
        if field in _SWITCHES and not isinstance(value, bool):
            return f"{field!r} is neither true nor false"
        if field in _CHOICES and value not in _CHOICES[field]:
            return f"{field!r} is {', '.join(_CHOICES[field][:-1])} or {_CHOICES[field][-1]}"
        if field not in (*_SWITCHES, *_CHOICES) and field not in _OTHERS.split() and (near := _near(plain)):
            return f"there is no field {field!r}; did you mean {near!r}?"
    return ""


def _near(plain: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  few files have unknown fields

    return next(iter(get_close_matches(plain, (*_SWITCHES, *_CHOICES), 1, _SIMILARITY)), "")
