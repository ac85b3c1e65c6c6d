"""The flag `enabled` of a manifest, changed in its text: everything else stays as the author wrote it."""

import os
from json import JSONDecoder

from zot_agent.extensions.discover import MANIFEST_FILE
from zot_core.machine.replace_file import replace_file
from zot_provider.errors import ConfigError
from zot_provider.record import Record, record

_scan = JSONDecoder().raw_decode
_SPACE = " \t\r\n"


@record
class Member(Record):
    """Where a member of an object stands in its text: the name from `name_start`, the value up to `end`."""

    name: str
    name_start: int
    value_start: int
    end: int


def with_enabled(text: str, enabled: bool) -> str:  # noqa: FBT001  the value of the flag
    """The text of a manifest with another flag. Raises `ValueError` for a text that is no JSON object."""
    members = _members(text)
    value = "true" if enabled else "false"
    flags = [member for member in members if member.name == "enabled"]
    if flags:  # of several the last one counts
        return text[: flags[-1].value_start] + value + text[flags[-1].end :]
    if enabled:
        return text
    if not members:
        return text.replace("{", f'{{"enabled": {value}', 1)
    last = members[-1]
    before = text.rindex(",", 0, last.name_start) if len(members) > 1 else text.index("{")
    gap = text[before + 1 : last.name_start]
    return f'{text[: last.end]},{gap}"enabled": {value}{text[last.end :]}'


def write_enabled(directory: str, enabled: bool) -> bool:  # noqa: FBT001  the value of the flag
    """Change the flag in the manifest of a folder, which can be used; whether anything was to change.

    Raises `ConfigError` if the file cannot be written; it is as it was then.
    """
    path = os.path.realpath(os.path.join(directory, MANIFEST_FILE))  # a link stays one
    try:
        with open(path, "rb") as file:
            data = file.read()
        changed = with_enabled(data.decode(), enabled).encode()
        if changed != data:
            replace_file(path, changed)
    except OSError as error:
        raise ConfigError(f"cannot change {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"cannot change {path}: not valid JSON") from error
    return changed != data


def _members(text: str) -> list[Member]:
    """The members of the object, in order. Raises `ValueError`."""
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if text[at : at + 1] != "{":
        raise ValueError("not a JSON object")
    members: list[Member] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        name_start = at
        name, at = _scan(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":" or not isinstance(name, str):
            raise ValueError("expected a name and a colon")
        value_start = _skip(text, at + 1)
        _, end = _scan(text, value_start)
        members.append(Member(name, name_start, value_start, end))
        at = _skip(text, end)
        if text[at : at + 1] not in (",", "}"):
            raise ValueError("expected a comma or a brace")
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
