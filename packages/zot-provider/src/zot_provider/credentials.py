"""`Credentials`: sources of what requests need of an account. Each request asks again."""

import os
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from zot_provider.errors import ConfigError, MissingKey
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, field

Sign: TypeAlias = Callable[[str, Mapping[str, str], bytes], Mapping[str, str]]
"""Returns the headers of a signed POST request, given its URL, its other headers and its body."""


class Authorization(Record):
    """An account, as a request needs it.

    `key` is an API key or a token, empty if none is needed. `scheme` is the way to send it, one of `SCHEMES`, empty for
    the provider's way. `headers` are sent besides. `base_url` is the address that belongs to the account, empty for the
    provider's. `sign` signs the request, in place of a key.
    """

    key: str = ""
    scheme: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    base_url: str = ""
    sign: Sign | None = None


class Credentials(Protocol):
    """A source of keys: the environment, a store of accounts, or several sources in order."""

    def check(self, provider: Provider) -> None:
        """Raise `MissingKey`, with advice, if the provider needs a key and has no key; `ConfigError` if the key cannot
        be sent. Contacts no server."""

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        """Return what the next request needs. A token may be refreshed here.

        `refused` is the key that the server has just refused with status 401: a source that can get another key returns
        it, others return the same key. Raises what `check` raises, and `ProviderError` if a refresh fails.
        """

    def advice(self, provider: Provider, key: str) -> str:
        """Return advice for a person after the server refused `key`: the end of an error message, without the key."""


class EnvironmentKeys:
    """Keys in environment variables, read for each request."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ

    def check(self, provider: Provider) -> None:
        check_key(provider, environment_value(provider.key_env, self._environ))

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        self.check(provider)
        name = next((each for each in provider.key_env if self._environ.get(each, "").strip()), "")
        scheme, base_url = dict(provider.key_schemes).get(name, ""), dict(provider.key_urls).get(name, "")
        return Authorization(self._environ.get(name, "").strip(), scheme, base_url=base_url)

    def advice(self, provider: Provider, key: str) -> str:
        """See `Credentials`. The advice names the variables that hold the key."""
        return key_advice(provider, key, self._environ)


class GivenKey:
    """A given key for one provider; empty for a provider that needs no key."""

    def __init__(self, key: str, environ: Mapping[str, str] | None = None) -> None:
        """`environ` is only used to name the variable that holds a refused key."""
        self._key = key
        self._environ = os.environ if environ is None else environ

    def check(self, provider: Provider) -> None:
        check_key(provider, self._key)

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        return Authorization(self._key)

    def advice(self, provider: Provider, key: str) -> str:
        return key_advice(provider, key, self._environ)


def check_key(provider: Provider, key: str) -> None:
    """Raise `MissingKey` if the provider needs a key and `key` is empty, `ConfigError` if `key` cannot be sent."""
    if not key and not provider.keyless:
        how = f"set {' or '.join(provider.key_env)}, or pass a key" if provider.key_env else "pass a key"
        raise MissingKey(f"no API key for {provider.id}: {how}", provider.id)
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"the API key for {provider.id} holds spaces or unusual characters; copy it again")


def missing_account(provider: Provider) -> MissingKey:
    """Return the error for a person without a key or a sign-in for this provider, with the ways to get one."""
    variables = f"set {' or '.join(provider.key_env)}, or " if provider.key_env else ""
    what = "API key" if provider.key_env else "sign-in"
    return MissingKey(f"no {what} for {provider.id}: {variables}run zot auth login {provider.id}", provider.id)


def key_advice(provider: Provider, key: str, environ: Mapping[str, str]) -> str:
    """Return advice after a key was refused; it names the variables that hold the key."""
    names = [name for name in provider.key_env if environ.get(name, "").strip() == key]
    if not key:
        return "pass an API key"
    return f"check the API key ({' or '.join(names)})" if names else "check the API key that was given"


def environment_value(names: tuple[str, ...], environ: Mapping[str, str]) -> str:
    """Return the value of the first of these variables that is set and not blank, else an empty string."""
    return next((value for name in names if (value := environ.get(name, "").strip())), "")
