"""`SkillCache`: the metadata of skills in one file, so that a start reads only the `SKILL.md` that have changed.

Parsing 200 of them takes 10 ms and more before the first request. The file can be deleted at any time.
"""

import json
import os
from typing import Any

from zot_core.skills.skill import Skill
from zot_core.version import __version__
from zot_provider.files.regular_file import read_start
from zot_provider.files.replace_file import replace_file

LIMIT = 4 << 20
"""Maximum bytes of the file."""


class SkillCache:
    """The cache in the file `path`; without a path nothing is kept. A damaged file, and that of another version of zot,
    which may read skills in another way, count as empty."""

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._known: dict[str, Any] = self._load() if path else {}
        self._changed = False

    def _load(self) -> dict[str, Any]:
        try:
            value = json.loads(read_start(self._path, LIMIT))
        except (OSError, ValueError, RecursionError):
            return {}
        known = value.get("skills") if isinstance(value, dict) and value.get("version") == __version__ else None
        return known if isinstance(known, dict) else {}

    def get(self, path: str, found: os.stat_result, source: str, prefix: str) -> Skill | None:
        """Return the skill in the file `path`, whose state is `found`, if it has not changed since `put`."""
        match self._known.get(path):
            case [stamp, str(name), str(description), list(tools), bool(disable), bool(invocable), dict(fields)] if (
                stamp == _stamp(found)
            ):
                folder = os.path.dirname(path)
                return Skill(prefix + name, description, path, folder, source, tools, disable, invocable, fields)
        return None

    def put(self, skill: Skill, found: os.stat_result, prefix: str) -> None:
        """Keep what was read from a file in the state `found`."""
        self._changed = True
        self._known[skill.path] = [
            _stamp(found),
            skill.name.removeprefix(prefix),
            skill.description,
            skill.allowed_tools,
            skill.disable_model_invocation,
            skill.user_invocable,
            skill.fields,
        ]

    def save(self) -> None:
        """Write the file if something has changed and its folder exists. A failure costs only the next start."""
        if not self._changed or not self._path or not os.path.isdir(os.path.dirname(self._path)):
            return
        known = {path: entry for path, entry in self._known.items() if os.path.exists(path)}
        data = json.dumps({"version": __version__, "skills": known}).encode()
        try:
            if len(data) <= LIMIT:
                replace_file(self._path, data, mode=0o600)
        except OSError:
            pass


def _stamp(found: os.stat_result) -> list[int]:
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
