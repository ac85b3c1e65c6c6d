"""`SkillPins`: the skills that the person wants to have in the system prompt from the start.

They are in `skill-pins.json` of the home folder, which the Go zot shares:
`{"global": ["NAME"], "projects": {"/real/path/of/a/directory": ["NAME"]}}`.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private
from zot_provider.files.replace_file import replace_file
from zot_provider.json_file import read_json_object
from zot_provider.json_text import describe
from zot_provider.record import Record, field

FILE = "skill-pins.json"

_GLOBAL, _PROJECTS = "global", "projects"


class Pins(Record):
    """The names of the skills pinned in one directory, and of those pinned everywhere."""

    here: list[str] = field(default_factory=list)
    everywhere: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """All names, sorted, each once."""
        return sorted({*self.here, *self.everywhere})


class SkillPins:
    """The pins in the home folder. The file is read every time, because other processes may write it."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, FILE)

    def read(self, cwd: str) -> Pins:
        """Return the pins for work in `cwd`. Raises `ConfigError` that names the file and the key."""
        value = read_json_object(self._path)
        projects = self._projects(value)
        here = os.path.realpath(cwd)
        return Pins(self._names(projects, here), self._names(value, _GLOBAL))

    def toggle(self, name: str, cwd: str, *, everywhere: bool) -> None:
        """Pin or unpin a skill in `cwd`, or everywhere. Raises `ConfigError`; the file is unchanged then."""
        value = dict(read_json_object(self._path))
        if everywhere:
            value[_GLOBAL] = _toggled(self._names(value, _GLOBAL), name)
        else:
            projects, here = dict(self._projects(value)), os.path.realpath(cwd)
            projects[here] = _toggled(self._names(projects, here), name)
            value[_PROJECTS] = {path: names for path, names in projects.items() if names}
        with ConfigError.of_system(f"cannot write {self._path}"):
            make_private(os.path.dirname(self._path))
            replace_file(self._path, json.dumps(value, indent=2).encode() + b"\n", mode=0o600)

    def _projects(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        projects = value.get(_PROJECTS)
        if projects is not None and not isinstance(projects, dict):
            raise ConfigError(f"{self._path}: {_PROJECTS}: expected an object, got {describe(projects)}")
        return projects or {}

    def _names(self, value: Mapping[str, Any], key: str) -> list[str]:
        names = value.get(key)
        if names is not None and (not isinstance(names, list) or not all(isinstance(name, str) for name in names)):
            raise ConfigError(f"{self._path}: {key}: expected an array of names, got {describe(names)}")
        return list(names or ())


def _toggled(names: list[str], name: str) -> list[str]:
    return [each for each in names if each != name] if name in names else sorted([*names, name])
