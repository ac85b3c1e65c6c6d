"""Changes the flag `enabled` in the text of a manifest, and leaves everything else as its author wrote it."""

import os
from json import JSONDecoder

from zot_agent.extensions.discover import MANIFEST_BYTES, MANIFEST_FILE
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.record import Record

_scan = JSONDecoder().raw_decode
_SPACE = " \t\r\n"


class JsonMember(Record):
    """The position of an object's member in its text: the name begins at `name_start`, the value ends before `end`."""

    name: str
    name_start: int
    value_start: int
    end: int


def with_enabled(text: str, enabled: bool) -> str:  # noqa: FBT001  the value of the flag
    """Return the text of a manifest with the flag changed. Raises `ValueError` if the text is not a JSON object."""
    members = _members(text)
    value = "true" if enabled else "false"
    flags = [member for member in members if member.name == "enabled"]
    if flags:  # JSON parsers use the last of several members with one name
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
    """Change the flag in the valid manifest of a folder; return whether the file has changed.

    Raises `ConfigError` if the file cannot be written; it is unchanged then.
    """
    path = os.path.realpath(os.path.join(directory, MANIFEST_FILE))  # keeps a link
    try:
        data = read_regular(path, MANIFEST_BYTES)
        changed = with_enabled(data.decode(), enabled).encode()
        if changed != data:
            replace_file(path, changed)
    except OSError as error:
        raise ConfigError(f"cannot change {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"cannot change {path}: not valid JSON") from error
    return changed != data


def _members(text: str) -> list[JsonMember]:
    """List the members of the object in order. Raises `ValueError`."""
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if text[at : at + 1] != "{":
        raise ValueError("not a JSON object")
    members: list[JsonMember] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        name_start = at
        name, at = _scan(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":" or not isinstance(name, str):
            raise ValueError("expected a name and a colon")
        value_start = _skip(text, at + 1)
        _, end = _scan(text, value_start)
        members.append(JsonMember(name, name_start, value_start, end))
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
