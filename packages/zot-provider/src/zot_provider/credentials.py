"""`Credentials`: the key that a request to a provider carries. Each request looks it up again."""

import os
from collections.abc import Mapping
from typing import Protocol

from zot_provider.errors import ConfigError, MissingKey
from zot_provider.providers.spec import Provider


class Credentials(Protocol):
    """Where keys come from: the environment, a store of accounts, or several places in order."""

    def check(self, provider: Provider) -> None:
        """Raise `MissingKey`, which says what to do, if the provider needs a key and there is none; `ConfigError` if
        the key cannot be sent. Contacts no server."""
        ...

    async def key(self, provider: Provider) -> str:
        """The key for the next request, empty if there is none and none is needed. A token may be refreshed here.

        Raises what `check` raises, and `ProviderError` if a refresh fails.
        """
        ...

    def advice(self, provider: Provider, key: str) -> str:
        """What a person should do after the server refused `key`: the last words of an error, without the key."""
        ...


class EnvironmentKeys:
    """Keys in environment variables, read for each request."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ

    def check(self, provider: Provider) -> None:
        """See `Credentials`."""
        check_key(provider, environment_value(provider.key_env, self._environ))

    async def key(self, provider: Provider) -> str:
        """See `Credentials`."""
        self.check(provider)
        return environment_value(provider.key_env, self._environ)

    def advice(self, provider: Provider, key: str) -> str:
        """See `Credentials`; it names the variables that hold the key."""
        return key_advice(provider, key, self._environ)


class GivenKey:
    """One key, for one provider; empty for a provider that needs none."""

    def __init__(self, key: str, environ: Mapping[str, str] | None = None) -> None:
        """The environment serves only to name the variable that holds a refused key."""
        self._key = key
        self._environ = os.environ if environ is None else environ

    def check(self, provider: Provider) -> None:
        """See `Credentials`."""
        check_key(provider, self._key)

    async def key(self, provider: Provider) -> str:
        """See `Credentials`."""
        return self._key

    def advice(self, provider: Provider, key: str) -> str:
        """See `Credentials`."""
        return key_advice(provider, key, self._environ)


def check_key(provider: Provider, key: str) -> None:
    """Raise `MissingKey` if the provider needs a key and this is empty, `ConfigError` if it cannot be sent."""
    if provider.key_env and not key:
        raise MissingKey(f"no API key for {provider.id}: set {' or '.join(provider.key_env)}, or pass --api-key")
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise ConfigError(f"the API key for {provider.id} holds spaces or unusual characters; copy it again")


def key_advice(provider: Provider, key: str, environ: Mapping[str, str]) -> str:
    """What to check after a key was refused: the variables that hold it, if it came from the environment."""
    names = [name for name in provider.key_env if environ.get(name, "").strip() == key]
    if key and not names:
        return "check the API key that was given"
    return f"check the API key ({' or '.join(names) or '--api-key'})"


def environment_value(names: tuple[str, ...], environ: Mapping[str, str]) -> str:
    """The value of the first of these variables that is set and not blank; empty if there is none."""
    return next((value for name in names if (value := environ.get(name, "").strip())), "")
