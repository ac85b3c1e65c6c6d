"""`CloudKeys`: the credentials of a provider that accepts a key or the account of a cloud."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

from zot_provider.credentials import Authorization, Credentials
from zot_provider.errors import MissingKey
from zot_provider.providers.spec import Provider

_CLOUDS = {"aws": "zot_provider.accounts.aws", "google-cloud": "zot_provider.accounts.google_cloud"}
"""The module of each cloud, by `Provider.account`. Its `open_account` makes an account."""


class CloudAccount(Protocol):
    """An account of a cloud, found in the environment and in the files of the cloud's own programs."""

    advice: str
    """What to do after the cloud refused the account."""

    def check(self, provider: Provider) -> None:
        """Raise `MissingKey`, with advice, if nothing in the environment names an account. Loads no library and reads
        no file."""
        ...

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        """Return what the next request needs. `refused` is a token that the server has just refused.

        Raises `ConfigError` if the account cannot be used or a library is missing, `ConnectError` if the cloud cannot
        be reached, `ResponseTimeout` if that takes too long.
        """
        ...


class CloudAccounts:
    """The accounts that the environment names, one for each cloud."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._opened: dict[str, CloudAccount] = {}

    def add_to(self, keys: Credentials, provider: Provider) -> Credentials:
        """Return `keys` and, if the provider accepts it, the account of its cloud."""
        module = _CLOUDS.get(provider.account)
        if module is None:
            return keys
        if provider.account not in self._opened:
            make: Callable[[Mapping[str, str]], CloudAccount] = import_module(module).open_account
            self._opened[provider.account] = make(self._environ)
        return CloudKeys(keys, self._opened[provider.account])


class CloudKeys:
    """A key from other credentials, else the account of a cloud."""

    def __init__(self, keys: Credentials, account: CloudAccount) -> None:
        self._keys = keys
        self._account = account

    def check(self, provider: Provider) -> None:
        """See `Credentials`."""
        if not self._has_key(provider):
            self._account.check(provider)

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        """See `Credentials`."""
        if self._has_key(provider):
            return await self._keys.authorize(provider, refused)
        self._account.check(provider)
        return await self._account.authorize(provider, refused)

    def advice(self, provider: Provider, key: str) -> str:
        """See `Credentials`."""
        return self._keys.advice(provider, key) if self._has_key(provider) else self._account.advice

    def _has_key(self, provider: Provider) -> bool:
        try:
            self._keys.check(provider)
        except MissingKey:
            return False
        return True
