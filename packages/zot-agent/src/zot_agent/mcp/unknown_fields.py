"""Fields of a server, and beside the servers, that zot does not have: whether they seem to hold servers back, as some
do in other programs. Only a file with such fields needs this."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from zot_ext.near_names import almost, folded, holds_back, nearest, withholds

_FILTERS = (
    "includetools", "excludetools", "enabledtools", "disabledtools", "allowedtools", "deniedtools", "tools",
    "hiddentools", "ignoretools", "skiptools", "toolfilter", "allow", "allowed", "except", "only",
)  # fmt: skip
"""How other agents choose the tools of a server."""
_BESIDE = ("allowed", "disable", "enable")
"""Parts of names of fields beside the servers by which other programs choose among them."""
_OF_SERVERS = re.compile("disabled?(?:all|mcp|server|tool|$)")
"""Names of fields that turn servers off with `true`, too."""
_OFF = dict.fromkeys(("active", "autostart", "isactive", "isenabled", "on", "running"), False) | dict.fromkeys(
    (
        "archived",
        "deactivated",
        "hidden",
        "ignore",
        "ignored",
        "inactive",
        "isdisabled",
        "off",
        "paused",
        "skip",
        "stopped",
    ),
    True,
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


def beside(fields: Mapping[str, Any], depth: int = _DEPTH) -> str:
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
        if withholds(field, value) and depth == _DEPTH:
            return field
        if (none_of or value not in _NOTHING) and (chooses or _off(field, value)):
            return field
        if isinstance(value, dict) and depth and (inner := beside(value, depth - 1)):
            return f"{field}.{inner}"
    return ""


def describes(field: str) -> bool:
    """Whether a field describes a server and its fields, whatever is inside."""
    return _ABOUT.fullmatch(field) is not None


def mistake_in(field: str, value: object, switches: Collection[str], choices: Collection[str]) -> str:
    """Return what is wrong in an unknown field if it seems to hold a server back, or else an empty text. `switches` and
    `choices` are the names of the fields that do."""
    near = next((each for each in choices if each in folded(field)), "") or _like(field, (*switches, *choices))
    if near in switches and value is (near == "enabled"):
        return ""  # `disable: false` and `isEnabled: true` of other programs hold nothing back
    if near:
        return f"there is no field {field!r}; did you mean {near!r}?"
    if _like(field, _FILTERS) and value not in (None, True, [], ["*"]):
        return f"zot chooses no tools by {field!r}; deny them with rules such as mcp__SERVER__TOOL"
    if _off(field, value):
        return f"there is no field {field!r}; did you mean 'disabled'?"
    if withholds(field, value) or (value not in _NOTHING and holds_back(field)):
        return f"the field {field!r} seems to hold it back, and zot does not know it; use rules such as mcp__SERVER"
    return ""


def _like(field: str, names: Iterable[str]) -> str:
    return nearest(field, names, _SIMILARITY)


def _off(field: str, value: object) -> bool:
    """Whether a switch, or the word for a state, says that a server is off."""
    if isinstance(value, str) and almost(field, _STATES):
        return holds_back(value) or bool(almost(value, ("disabled", *(word for word, off in _OFF.items() if off))))
    return isinstance(value, bool) and _OFF.get(almost(field, _OFF)) is value
