"""`AccountStore`: the stored keys and sign-ins of a person, in `auth.json` or in the keyring of the system."""

from typing import Literal, TypeAlias

from zot_provider.auth.entry import Entry
from zot_provider.auth.file import AuthFile
from zot_provider.auth.system_keyring import KeyringFailed, SystemKeyring
from zot_provider.errors import ConfigError
from zot_provider.record import Record

Place: TypeAlias = Literal["file", "keyring"]


class Stored(Record):
    """Where the entry of a provider is, and its kind (`Entry.kind`), without its secrets. `problem` says why it cannot
    be used, empty if it can."""

    name: str
    place: Place
    kind: str
    problem: str = ""


class AccountStore:
    """The entries of the folder `home`, by the id of their provider.

    An entry of `auth.json` counts before one of the keyring. A new entry goes where the others are: into the keyring if
    one is in use, else into `auth.json` if that exists, else into the keyring if a real one answers, else into
    `auth.json`. Methods raise `ConfigError` if the store cannot be read or written.
    """

    def __init__(self, home: str, keyring_seconds: float = 20.0) -> None:
        """`keyring_seconds` limit each call of the keyring, which may ask the person for a password."""
        self.home = home
        self.file = AuthFile(home)
        self.keyring = SystemKeyring(home, keyring_seconds)

    def place(self, name: str) -> Place | None:
        """Return where the entry of a provider is; None without one. Does not ask the keyring."""
        if self.file.holds(name):
            return "file"
        return "keyring" if name in self.keyring.kinds() else None

    def listing(self) -> list[Stored]:
        """List all entries, without asking the keyring."""
        found = {}
        for name in self.file.names():
            try:
                entry = self.file.entry(name)
                found[name] = Stored(name, "file", entry.kind if entry else "")
            except ConfigError as error:
                found[name] = Stored(name, "file", "", str(error))
        for name, kind in self.keyring.kinds().items():
            found.setdefault(name, Stored(name, "keyring", kind))
        return list(found.values())

    async def load(self, name: str) -> Entry | None:
        """Return the entry of a provider; None without one. Raises `KeyringFailed` too."""
        if (entry := self.file.entry(name)) is not None and entry.kind:
            return entry
        return await self.keyring.entry(name)

    async def save(self, name: str, entry: Entry) -> str:
        """Store the entry of a provider in place of its present one; return a line for the person that says where."""
        place = self.place(name)
        if place == "file" or (place is None and not self.keyring.chosen() and self.file.exists()):
            await self.file.write(name, entry)
            return f"stored in {self.file.path}"
        try:
            await self.keyring.write(name, entry)
        except KeyringFailed as error:
            await self.file.write(name, entry)
            return f"stored in {self.file.path}, which only you can read: {error}"
        return f"stored in {self.keyring.title}"

    async def delete(self, name: str) -> bool:
        """Delete the entry of a provider, wherever it is; return whether there was one."""
        found = False
        if self.file.holds(name):
            found = True
            await self.file.write(name, None)
        if name in self.keyring.kinds():
            found = True
            await self.keyring.delete(name)
        return found

    async def move(self, to: Place) -> list[str]:
        """Move all entries to the keyring or to `auth.json`, one after the other; return the names of those moved.

        An entry is deleted from its old place once it is in the new one. Raises `KeyringFailed`; what was moved before
        stays moved. Entries of `auth.json` that cannot be read stay there.
        """
        moved = []
        for stored in self.listing():
            if stored.place == to or stored.problem:
                continue
            entry = await self.load(stored.name)
            if entry is None:
                continue
            if to == "keyring":
                await self.keyring.write(stored.name, entry)
                await self.file.write(stored.name, None)
            else:
                await self.file.write(stored.name, entry)
                await self.keyring.delete(stored.name)
            moved.append(stored.name)
        if to == "file":
            self.keyring.leave()
        return moved

    def where(self, place: Place) -> str:
        """Return the name of a place for a person."""
        return self.file.path if place == "file" else self.keyring.title
