"""Read a JSON file that a person may have written."""

import json
from collections.abc import Mapping
from typing import Any

from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.json_text import describe

MOST_BYTES = 1 << 20
"""The largest file that is read."""


class _Twice(Exception):
    """An object has the key `args[0]` twice."""


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        keys = [key for key, _ in members]
        raise _Twice(next(key for key in keys if keys.count(key) > 1))
    return found


def read_json_object(path: str) -> Mapping[str, Any]:
    """Read the JSON object in a file; empty if the file does not exist. Raises `ConfigError` that names the file and
    the position, also for an object that has a key twice: nobody knows which of the two counts."""
    try:
        data = read_start(path, MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{path} is larger than the limit of 1 MiB")
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_each_once)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except _Twice as error:
        raise ConfigError(f"{path}: the key {error.args[0]!r:.60} is there twice") from None
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise ConfigError(f"{path} contains a number that is too long, or is nested too deeply") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected an object, got {describe(value)}")
    return value
