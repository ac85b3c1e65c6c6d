"""Changes files of settings, under a lock and without losing what zot does not know."""

import json
import os
from collections.abc import Mapping

from zot_agent.config.settings import FILE
from zot_provider.auth.lock import locked
from zot_provider.errors import ConfigError
from zot_provider.files.replace_file import replace_file
from zot_provider.json_file import read_json_object

LOCK = "config.lock"
LOCK_LIMIT = 3.0
"""Seconds to wait for another process that changes settings."""


def user_file(home: str) -> str:
    return os.path.join(home, FILE)


def project_file(cwd: str) -> str:
    """Return the path of the settings of the project in `cwd`. Raises `ConfigError` if a link leads out of it."""
    path = os.path.join(cwd, ".zot", FILE)
    inside = os.path.join(os.path.realpath(cwd), "")
    if not os.path.realpath(path).startswith(inside):
        raise ConfigError(f"{path} leads out of the project; zot does not write it")
    return path


async def change_settings(home: str, path: str, changes: Mapping[str, object], *, limit: float = LOCK_LIMIT) -> None:
    """Change keys of the file at `path`, or of a link's target; None removes a key.

    The other keys and their order stay, and so does the file if nothing changes. A new file in `home`, where the lock
    is too, is for its owner alone. Raises `ConfigError`, also for a file that is not a JSON object; nothing has changed
    then.
    """
    async with locked(os.path.join(home, LOCK), limit):
        before = read_json_object(path)
        after = {key: value for key, value in {**before, **changes}.items() if key not in changes or value is not None}
        if after == before:
            return
        try:
            # A lone surrogate has no form in UTF-8, but its escape is JSON.
            text = json.dumps(after, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        except RecursionError:
            raise ConfigError(f"{path} is nested too deeply; zot does not change it") from None
        target = os.path.realpath(path)
        with ConfigError.of_system(f"cannot write {path}"):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            private = path == user_file(home) and not os.path.exists(target)
            replace_file(target, text, mode=0o600 if private else None)
