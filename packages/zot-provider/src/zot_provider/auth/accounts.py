"""`Accounts`: credentials from the store, with refresh of tokens."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from zot_provider.auth.command import run_key_command
from zot_provider.auth.entry import AccountToken, Entry
from zot_provider.auth.lock import locked
from zot_provider.auth.oauth import OAuthLimits, SignInFailed, TokenEndpoint, account_address
from zot_provider.auth.store import AccountStore
from zot_provider.credentials import Authorization, check_key, missing_account
from zot_provider.errors import ConfigError, MissingKey, ZotError
from zot_provider.files.sha256 import sha256_hex
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider

_LAST_WORD = 5.0
"""Seconds that a cancelled refresh has to store its token: the server has already replaced the old one."""


_PLAIN = 64
"""Characters of the name of an entry that is a part of the name of a file as it is."""


class Accounts:
    """The stored accounts as `Credentials`.

    A token is refreshed `SignIn.margin` seconds before it ends, and when a server refuses it. One task of one process
    at a time refreshes the token of a provider; the others use the result. A refreshed token is stored before its use.
    """

    def __init__(
        self,
        home: str,
        *,
        environ: Mapping[str, str] | None = None,
        store: AccountStore | None = None,
        limits: OAuthLimits | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`environ` is the environment of commands that print keys; `now` returns seconds since 1970."""
        self.store = store or AccountStore(home)
        self._environ = os.environ if environ is None else environ
        self._limits = limits or OAuthLimits()
        self._now = now
        self._loaded: dict[str, tuple[object, Entry]] = {}  # entries of the keyring, which takes long to ask
        self._printed: dict[str, str] = {}  # keys that commands printed, by provider
        self._exchanged: dict[str, AccountToken] = {}  # by the token that was exchanged
        self._exchanging = asyncio.Lock()
        self._ended: dict[str, SignInFailed] = {}  # by refresh token

    def check(self, provider: Provider) -> None:
        """See `Credentials`. Does not ask the keyring, and runs no command."""
        try:
            name = self.name(provider)
            kind = self._kind(name)
        except ConfigError as error:
            raise MissingKey(f"no API key for {provider.id}: {error}", provider.id) from None
        if not _usable(provider, kind):
            raise missing_account(provider)
        if kind == "api_key" and self.store.place(name) == "file" and (entry := self.store.file.entry(name)):
            check_key(provider, entry.key)

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        """See `Credentials`. Raises `SignInFailed` too."""
        name = self.name(provider)
        entry = await self._load(name, again=bool(refused))
        if entry is None or not _usable(provider, entry.kind):
            raise missing_account(provider)
        if entry.key:
            return Authorization(entry.key)
        if entry.command is not None:
            if refused and self._printed.get(name) == refused:
                del self._printed[name]
            if name not in self._printed:
                self._printed[name] = await run_key_command(entry.command, provider.id, self._command_environ(provider))
            return Authorization(self._printed[name])
        assert entry.token is not None
        assert provider.sign_in is not None
        token = entry.token
        if token.access == refused or not token.access or self._ends_soon(token, provider.sign_in.margin):
            token = await self._refresh(provider, name, token)
        return Authorization(token.access, scheme="bearer", base_url=account_address(provider.sign_in, token))

    async def exchange(self, provider: Provider, secret: str, refused: str = "") -> Authorization:
        """Return what the next request needs, given the token that is exchanged for a key. The key stays in memory.

        Raises like `authorize`.
        """
        assert provider.sign_in is not None
        async with self._exchanging:
            token = self._exchanged.get(secret) or AccountToken("", secret)
            if token.access in ("", refused) or self._ends_soon(token, provider.sign_in.margin):
                token = await self._ask(provider, token)
                self._exchanged[secret] = token
        return Authorization(token.access, scheme="bearer", base_url=account_address(provider.sign_in, token))

    def advice(self, provider: Provider, key: str) -> str:
        return f"check the stored key, or run zot auth login {provider.id}"

    def name(self, provider: Provider) -> str:
        """Return the name under which an entry of the provider is stored, or would be."""
        return next((name for name in provider.stored_names if self.store.place(name)), provider.key_of or provider.id)

    def where(self, provider: Provider) -> str:
        """Return the place of the provider's entry for a person, empty without a usable one. Does not ask the
        keyring."""
        try:
            name = self.name(provider)
            place = self.store.place(name)
            usable = _usable(provider, self._kind(name))
        except ConfigError:
            return ""
        return self.store.where(place) if place and usable else ""

    def take_notes(self) -> list[str]:
        """Return lines for the person about the store, each once."""
        notes, self.store.file.notes = self.store.file.notes, []
        return notes

    # Internal.

    def _kind(self, name: str) -> str:
        if self.store.place(name) == "keyring":
            return self.store.keyring.kinds()[name]
        entry = self.store.file.entry(name)
        return entry.kind if entry else ""

    async def _load(self, name: str, *, again: bool) -> Entry | None:
        if self.store.place(name) != "keyring":
            return self.store.file.entry(name)
        version = self.store.keyring.version()
        if again or name not in self._loaded or self._loaded[name][0] != version:
            entry = await self.store.load(name)
            if entry is None:
                return None
            self._loaded[name] = version, entry
        return self._loaded[name][1]

    def _ends_soon(self, token: AccountToken, margin: float) -> bool:
        return bool(token.expires) and token.expires - margin <= self._now()

    async def _refresh(self, provider: Provider, name: str, token: AccountToken) -> AccountToken:
        """Refresh, even if the caller is cancelled meanwhile: the server replaces the old token."""
        done = asyncio.Event()

        async def refresh() -> AccountToken | ZotError:
            try:
                return await self._refresh_once(provider, name, token)
            except ZotError as error:  # `shield` reports what is raised when nobody waits any more
                return error
            finally:
                done.set()

        try:
            refreshed = await asyncio.shield(refresh())
        except asyncio.CancelledError:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WORD):
                    await done.wait()
            raise
        if isinstance(refreshed, ZotError):
            raise refreshed
        return refreshed

    async def _refresh_once(self, provider: Provider, name: str, token: AccountToken) -> AccountToken:
        async with locked(os.path.join(self.store.home, f"refresh-{_file_name(name)}.lock")):
            entry = await self._load(name, again=True)
            if entry is None or entry.token is None:
                raise missing_account(provider)
            if entry.token.access != token.access and entry.token.access:  # another task or process was faster
                return entry.token
            token = entry.token
            if token.refresh in self._ended:
                raise self._ended[token.refresh]
            token = await self._ask(provider, token)
            await self.store.save(name, entry.replace(token=token))
            return token

    async def _ask(self, provider: Provider, token: AccountToken) -> AccountToken:
        """Ask the provider, or the program that signs in to it, for a new token."""
        from zot_provider.transport.http import HttpTransport  # noqa: PLC0415  a client has loaded it by now

        assert provider.sign_in is not None
        transport = HttpTransport()
        try:
            if provider.sign_in.program is not None:
                renewed: AccountToken = await provider.sign_in.program.refresh(token)
                return renewed
            return await TokenEndpoint(provider.sign_in, transport, self._limits).refresh(token)
        except SignInFailed as error:
            if error.ended:
                error.args = (f"{provider.id}: {error}; run zot auth login {provider.id}",)
                self._ended[token.refresh] = error
            else:
                error.args = (f"{provider.id}: {error}",)
            raise
        finally:
            await transport.close()

    def _command_environ(self, provider: Provider) -> dict[str, str]:
        keys = {name for each in (*PROVIDERS, provider) for name in each.key_env}
        return {name: value for name, value in self._environ.items() if name not in keys}


def _usable(provider: Provider, kind: str) -> bool:
    """Whether an entry of this kind can be used: a token only if zot signs in to this provider."""
    return bool(kind) and (kind != "oauth" or provider.sign_in is not None)


def _file_name(name: str) -> str:
    """Return the name of an entry as a part of the name of a file: secrets of extensions have any text in theirs."""
    if name.replace("-", "").replace("_", "").isalnum() and name.isascii() and len(name) <= _PLAIN:
        return name
    return sha256_hex(name.encode("utf-8", "surrogatepass"))[:32]
