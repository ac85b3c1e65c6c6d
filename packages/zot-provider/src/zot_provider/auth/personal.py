"""`PersonalKeys`: the credentials of a person, from the environment and from the store."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from zot_provider.credentials import Authorization, Credentials, EnvironmentKeys, environment_value, missing_account
from zot_provider.providers.spec import Provider

if TYPE_CHECKING:
    from zot_provider.auth.accounts import Accounts


class PersonalKeys:
    """The keys of a person: environment variables, then the entries stored in the folder `home` by `zot auth login`.

    Nothing of the store is loaded while nothing is stored, or for a provider with a key in the environment.
    """

    def __init__(self, home: str, environ: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.environ = os.environ if environ is None else environ
        self._environment = EnvironmentKeys(self.environ)
        self._stored: Accounts | None = None

    def check(self, provider: Provider) -> None:
        self._source(provider).check(provider)

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        value = environment_value(provider.key_env, self.environ)
        if value and provider.sign_in and provider.sign_in.exchange and provider.sign_in.exchange.of_variables:
            return await self.accounts.exchange(provider, value, refused)
        return await self._source(provider).authorize(provider, refused)

    def advice(self, provider: Provider, key: str) -> str:
        return self._source(provider).advice(provider, key)

    def source(self, provider: Provider) -> str:
        """Return where the key of the provider comes from, without asking a keyring: the name of a variable, a file, a
        keyring; empty without a key."""
        name = next((name for name in provider.key_env if self.environ.get(name, "").strip()), "")
        if name or not has_stored_accounts(self.home):
            return name
        return self.accounts.where(provider)

    @property
    def accounts(self) -> "Accounts":
        """The stored accounts."""
        if self._stored is None:
            from zot_provider.auth.accounts import Accounts  # noqa: PLC0415  only if something is stored

            self._stored = Accounts(self.home, environ=self.environ)
        return self._stored

    def notes(self) -> list[str]:
        """Return, once, lines for the person about the store."""
        return [] if self._stored is None else self._stored.take_notes()

    def _source(self, provider: Provider) -> Credentials:
        """Return the source of the provider's key. Raises `MissingKey` without one."""
        if environment_value(provider.key_env, self.environ):
            return self._environment
        if has_stored_accounts(self.home) and (self.accounts.where(provider) or not provider.keyless):
            return self.accounts
        if provider.keyless:
            return self._environment
        raise missing_account(provider)


def has_stored_accounts(home: str) -> bool:
    """Whether anything may be stored in the folder `home`, see `zot_provider.auth.store`. Looks for two files."""
    return any(os.path.lexists(os.path.join(home, name)) for name in ("auth.json", "keyring.json"))
