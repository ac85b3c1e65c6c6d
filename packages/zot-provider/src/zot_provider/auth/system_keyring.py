"""`SystemKeyring`: entries in the keyring of the operating system, and a file that says which there are.

The file `keyring.json` holds no secrets: the backend, the service under which the entries are stored, and the kind of
each. So one can know without asking the keyring, which takes 100 ms or asks a person for a password, and only the
module of that backend is imported.
"""

import json
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from zot_provider.accounts.blocking import in_thread
from zot_provider.auth.entry import Entry, entry_json, parse_entry
from zot_provider.auth.lock import STORE_LOCK, locked
from zot_provider.errors import ConfigError, ResponseTimeout
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.record import Record, field

T = TypeVar("T")

FILE = "keyring.json"
_MAX_BYTES = 1 << 20
_PACKAGES = ("keyring.", "keyrings.")
"""Where backends are: the file names a class, and no other is imported."""


class KeyringFailed(ConfigError):
    """The keyring did not answer, refused, or gave back something else. The text names the keyring and no secret."""


class _Index(Record):
    """The content of `keyring.json`: `kinds` has the kind of the entry of each provider, see `Entry.kind`."""

    backend: str = ""
    service: str = ""
    kinds: dict[str, str] = field(default_factory=dict)


class SystemKeyring:
    """The entries of one `home` in the keyring. No call takes longer than `limit` seconds."""

    def __init__(self, home: str, limit: float = 20.0) -> None:
        self.path = os.path.join(home, FILE)
        self.limit = limit
        self._home = home
        self._index: tuple[tuple[int, ...], _Index] | None = None

    @property
    def title(self) -> str:
        """The name of the keyring for a person."""
        return _title(self._read().backend)

    def chosen(self) -> bool:
        """Whether entries have been stored in a keyring, and not all have been moved away."""
        return bool(self._read().backend)

    def kinds(self) -> dict[str, str]:
        """Return the kind of the entry of each provider, without asking the keyring."""
        return dict(self._read().kinds)

    def version(self) -> tuple[int, ...]:
        """Return a value that changes when an entry is stored or deleted."""
        self._read()
        return self._index[0] if self._index else ()

    async def entry(self, name: str) -> Entry | None:
        """Return the entry of a provider, None without one. Raises `KeyringFailed`."""
        index = self._read()
        if name not in index.kinds:
            return None
        text = await self._ask(lambda: _backend(index.backend).get_password(index.service, name), index.backend)
        if text is None:
            raise KeyringFailed(f"{_title(index.backend)} has no key for {name} any more; run zot auth login {name}")
        try:
            return parse_entry(json.loads(text), f"{_title(index.backend)}: {name}")
        except (ValueError, RecursionError):
            message = f"{_title(index.backend)} holds something for {name} that zot cannot read"
            raise KeyringFailed(f"{message}; run zot auth login {name}") from None

    async def write(self, name: str, entry: Entry) -> None:
        """Store the entry of a provider, and read it back. Raises `KeyringFailed`; nothing is stored then."""
        async with locked(os.path.join(self._home, STORE_LOCK)):
            self._index = None
            index = self._read()
            text = json.dumps(entry_json(entry))
            service = index.service or f"zot ({self._home})"
            known = index.backend

            def store() -> tuple[str, str | None]:
                backend = _backend(known) if known else _best_backend()
                backend.set_password(service, name, text)
                return _name(backend), backend.get_password(service, name)

            found, back = await self._ask(store, known)
            if back != text:
                raise KeyringFailed(f"{_title(found)} did not return what was stored")
            self._replace(_Index(found, service, index.kinds | {name: entry.kind}))

    async def delete(self, name: str) -> None:
        """Delete the entry of a provider. Raises `KeyringFailed`."""
        async with locked(os.path.join(self._home, STORE_LOCK)):
            self._index = None
            index = self._read()
            if name not in index.kinds:
                return

            def remove() -> None:
                backend = _backend(index.backend)
                if backend.get_password(index.service, name) is not None:
                    backend.delete_password(index.service, name)

            await self._ask(remove, index.backend)
            self._replace(index.replace(kinds={each: kind for each, kind in index.kinds.items() if each != name}))

    def leave(self) -> None:
        """Forget the keyring, whose entries have all been moved away."""
        if not self._read().kinds and os.path.lexists(self.path):
            os.unlink(self.path)
        self._index = None

    # Internal.

    async def _ask(self, function: Callable[[], T], backend: str) -> T:
        """Call a function of the keyring in a thread. Raises `KeyringFailed`."""
        title = _title(backend)
        try:
            return await in_thread(function, self.limit, title)
        except ResponseTimeout:
            raise KeyringFailed(f"{title} did not answer within {self.limit:g} s") from None
        except KeyringFailed:
            raise
        except Exception as error:  # noqa: BLE001  a backend raises what its system raises, perhaps with the secret
            raise KeyringFailed(f"{title} failed: {type(error).__name__}") from None

    def _read(self) -> _Index:
        try:
            status = os.stat(self.path)
        except OSError:
            return _Index()
        signature = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._index is None or self._index[0] != signature:
            self._index = signature, self._load()
        return self._index[1]

    def _load(self) -> _Index:
        try:
            value = json.loads(read_regular(self.path, _MAX_BYTES))
        except OSError as error:
            raise ConfigError(f"cannot read {self.path}: {error.strerror}") from error
        except (ValueError, RecursionError):
            raise ConfigError(f"{self.path} is not JSON; {_DELETE}") from None
        value = value if isinstance(value, dict) else {}
        backend, service, kinds = (value.get(name) for name in _Index.__match_args__)
        if not (
            isinstance(backend, str)
            and backend.startswith(_PACKAGES)
            and isinstance(service, str)
            and isinstance(kinds, dict)
            and all(isinstance(kind, str) for kind in kinds.values())
        ):
            raise ConfigError(f"{self.path} names no keyring; {_DELETE}")
        return _Index(backend, service, kinds)

    def _replace(self, index: _Index) -> None:
        text = json.dumps({name: getattr(index, name) for name in _Index.__match_args__}, indent=2) + "\n"
        with ConfigError.of_system(f"cannot write {self.path}"):
            replace_file(self.path, text.encode("utf-8", "surrogatepass"), mode=0o600)
        self._index = None


_DELETE = "delete it and sign in again"


def _backend(name: str) -> Any:
    """Return the backend with this name. Raises `KeyringFailed` if it is no longer installed."""
    module, _, cls = name.rpartition(".")
    try:
        return getattr(import_module(module), cls)()
    except (ImportError, AttributeError):
        raise KeyringFailed(f"the keyring {name} is not installed") from None


def _best_backend() -> Any:
    """Return the best keyring of this system. Raises `KeyringFailed` if no real one answers."""
    import keyring  # noqa: PLC0415  takes 100 ms; only where the first entry is stored

    backend = keyring.get_keyring()
    if backend.priority < 1 or not _name(backend).startswith(_PACKAGES):
        raise KeyringFailed("this system has no keyring that answers")
    return backend


def _name(backend: object) -> str:
    return f"{type(backend).__module__}.{type(backend).__qualname__}"


_TITLES = {
    "keyring.backends.SecretService.": "the keyring (Secret Service)",
    "keyring.backends.macOS.": "the macOS keychain",
    "keyring.backends.Windows.": "the Windows credential manager",
    "keyring.backends.kwallet.": "KWallet",
}


def _title(backend: str) -> str:
    return next((title for start, title in _TITLES.items() if backend.startswith(start)), "the keyring")
