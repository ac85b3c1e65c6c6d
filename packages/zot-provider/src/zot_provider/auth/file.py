"""`AuthFile`: `auth.json`, which zot shares with the Go zot."""

import json
import os
import stat
from typing import Any

from zot_provider.auth.entry import Entry, entry_json, parse_entry
from zot_provider.auth.lock import STORE_LOCK, locked
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import open_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.json_text import read_strict
from zot_provider.record import Record

FILE = "auth.json"

_ADDITIONAL = "additional_api_key_creds"
_TOP_LEVEL = {
    **{name: name for name in ("anthropic", "openai", "kimi", "google", "deepseek")},
    "github-copilot": "github_copilot",
}
"""The providers whose entries the Go zot has at the top level, and the names there; others are in `_ADDITIONAL`."""

_MAX_BYTES = 1 << 20


class _Content(Record):
    """The parsed file, and what identifies this version of it."""

    signature: tuple[int, ...]
    value: dict[str, Any]


class AuthFile:
    """The entries of `auth.json` in the folder `home`. Only its owner can read it.

    It is read again when it has changed. A change replaces it whole, under a lock, and keeps what this version does not
    know. All methods raise `ConfigError`, whose text quotes no value, if the file cannot be read or written.
    """

    def __init__(self, home: str) -> None:
        self.path = os.path.join(home, FILE)
        self.notes: list[str] = []
        """Lines for the person: what was wrong with the file, and is corrected."""
        self._content: _Content | None = None

    def exists(self) -> bool:
        """Whether there is a file, or anything else at its path."""
        return os.path.lexists(self.path)

    def entry(self, name: str) -> Entry | None:
        """Return the entry of a provider; None without one."""
        place = _place(self._read(), name)
        return None if place is None else parse_entry(_at(self._read(), place), self._where(place))

    def names(self) -> list[str]:
        """List the providers that have an entry with a credential. Entries that cannot be read count."""
        value, found = self._read(), []
        for name, each in value.items():
            if isinstance(each, dict) and name != _ADDITIONAL:
                found.append(next((id for id, key in _TOP_LEVEL.items() if key == name), name))
        found += list(_additional(value))
        return [name for name in dict.fromkeys(found) if self.holds(name)]

    def holds(self, name: str) -> bool:
        """Whether a provider has an entry with a credential. An entry that cannot be read counts."""
        self._read()  # raises its own errors
        try:
            entry = self.entry(name)
        except ConfigError:
            return True
        return entry is not None and bool(entry.kind)

    async def write(self, name: str, entry: Entry | None) -> None:
        """Store the entry of a provider, or delete it for None. The file is created for its owner alone."""
        async with locked(os.path.join(os.path.dirname(self.path), STORE_LOCK)):
            self._content = None
            value = dict(self._read())
            place = _place(value, name) or ((_TOP_LEVEL[name],) if name in _TOP_LEVEL else (_ADDITIONAL, name))
            if len(place) == 2:
                others = dict(_additional(value))
                value[_ADDITIONAL] = others
            changed = value if len(place) == 1 else value[_ADDITIONAL]
            if entry is None:
                changed.pop(place[-1], None)
                if not value.get(_ADDITIONAL, True):
                    del value[_ADDITIONAL]
            else:
                changed[place[-1]] = entry_json(entry)
            self._replace(value)

    # Internal.

    def _replace(self, value: dict[str, Any]) -> None:
        text = json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        with ConfigError.of_system(f"cannot write {self.path}"):
            replace_file(os.path.realpath(self.path), text, mode=0o600)
        self._content = None

    def _read(self) -> dict[str, Any]:
        """Return the object in the file, empty without a file."""
        try:
            status = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise ConfigError(f"cannot read {self.path}: {error.strerror}") from error
        signature = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._content is None or self._content.signature != signature:
            self._content = _Content(signature, self._load())
        return self._content.value

    def _load(self) -> dict[str, Any]:
        try:
            descriptor = open_regular(self.path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"cannot read {self.path}: {error.strerror}") from error
        with open(descriptor, "rb") as file:
            self._protect(descriptor)
            self._check_folder()
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise ConfigError(f"{self.path} is larger than the limit of 1 MiB")
        try:
            value = read_strict(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ConfigError(f"{self.path} is not UTF-8 text (byte {error.start}); {_REPAIR}") from None
        except json.JSONDecodeError as error:
            # Not `from error`, which holds the text.
            place = f"line {error.lineno}, column {error.colno}: {error.msg}"
            raise ConfigError(f"{self.path}: {place}; {_REPAIR}") from None
        except ValueError:
            raise ConfigError(f"{self.path} is not JSON; {_REPAIR}") from None
        if not isinstance(value, dict):
            raise ConfigError(f"{self.path}: expected an object; {_REPAIR}")
        return value

    def _protect(self, descriptor: int) -> None:
        """Take the rights of other users to the file away."""
        status = os.fstat(descriptor)
        if os.name != "posix" or not stat.S_IMODE(status.st_mode) & 0o077:
            return
        if status.st_uid not in (os.geteuid(), 0):
            raise ConfigError(f"{self.path} belongs to another user; zot does not use it")
        note = f"{self.path} could be read by other users of this machine"
        try:
            os.fchmod(descriptor, 0o600)
        except OSError as error:
            self.notes.append(f"{note}; run chmod 600 on it ({error.strerror})")
        else:
            self.notes.append(f"{note}; now only you can read it")

    def _check_folder(self) -> None:
        """Note a folder in which other users can replace the file, which may name programs to start."""
        folder = os.path.dirname(os.path.realpath(self.path))
        if os.name == "posix" and stat.S_IMODE(os.stat(folder).st_mode) & 0o1002 == 0o002:
            note = f"other users of this machine can replace files in {folder}; run chmod o-w on it"
            self.notes += [] if note in self.notes else [note]

    def _where(self, place: tuple[str, ...]) -> str:
        return f"{self.path}: {'.'.join(place)}"


_REPAIR = "repair it, or move it away and sign in again"


def _additional(value: dict[str, Any]) -> dict[str, Any]:
    found = value.get(_ADDITIONAL)
    return found if isinstance(found, dict) else {}


def _place(value: dict[str, Any], name: str) -> tuple[str, ...] | None:
    """Return the path of a provider's entry in the file, None without one."""
    if name in _additional(value):
        return (_ADDITIONAL, name)
    for key in (_TOP_LEVEL.get(name, name), name):
        if key in value and key != _ADDITIONAL and isinstance(value[key], dict):
            return (key,)
    return None


def _at(value: dict[str, Any], place: tuple[str, ...]) -> Any:
    return value[place[0]] if len(place) == 1 else value[place[0]][place[1]]
