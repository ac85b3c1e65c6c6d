"""The check and the storing of an API key that a person gave."""

import asyncio

from zot_provider.auth.entry import Entry
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.secrets import remember_secret
from zot_provider.client.http import HttpClient
from zot_provider.credentials import check_key
from zot_provider.errors import ConfigError, ProviderError, StatusError
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry

PROBE_SECONDS = 15.0
"""Seconds for the provider to answer whether it accepts a key."""


class KeyRefused(ConfigError):
    """The provider does not accept the key. The text does not hold it."""


async def add_key(registry: ModelRegistry, keys: PersonalKeys, provider: Provider, text: str) -> str:
    """Store the key in `text` after one request with it; return a line for the person: where, and what to know.

    The provider is asked for its list of models, which costs nothing. A key that it refuses is not stored. If it cannot
    be asked, the key is stored, and the line says so. Raises `KeyRefused`, also for a text that cannot be a key, and
    `ConfigError` if nothing can be stored.
    """
    key = text.strip()
    if not key:
        raise KeyRefused(f"{provider.id}: the key is empty")
    try:
        check_key(provider, key)
    except ConfigError as error:
        raise KeyRefused(str(error)) from None
    remember_secret(key)
    doubt = await _probe(registry, provider, key)
    line = await put_entry(keys, provider, Entry(key))
    return line + (f"; it could not be checked: {doubt}" if doubt else "")


async def put_entry(keys: PersonalKeys, provider: Provider, entry: Entry) -> str:
    """Store an entry in place of the provider's present one; return a line for the person.

    Fields that zot does not know are kept, and so is a token that zot does not use, which is the Go zot's.
    """
    store = keys.accounts.store
    name = keys.accounts.name(provider)
    try:
        old = await store.load(name) or Entry()
    except ConfigError:
        old = Entry()  # it is replaced
    foreign = old.token if provider.sign_in is None else None
    line = await store.save(name, entry.replace(token=entry.token or foreign, rest=old.rest))
    variable = next((each for each in provider.key_env if keys.environ.get(each, "").strip()), "")
    return f"{provider.title}: {line}" + (f"; ${variable} is set and comes first" if variable else "")


async def _probe(registry: ModelRegistry, provider: Provider, key: str) -> str:
    """Return why the key could not be checked; empty if the provider accepts it. Raises `KeyRefused`."""
    if registry.opener(provider.id) is not None:
        return "the first request will show whether it is accepted"
    try:
        base_url = registry.base_url(provider.id)
        filled = provider if base_url else provider.fill(registry.environ)
        client = HttpClient(filled, key=key, base_url=base_url)
    except ConfigError as error:  # a part of the address is not known yet
        return str(error)
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            await client.models()
    except TimeoutError:
        return f"no answer within {PROBE_SECONDS:g} s"
    except StatusError as error:
        if error.status in (401, 403):
            raise KeyRefused(f"{provider.id} refuses this key (status {error.status}); copy it again") from None
        return str(error)
    except (ProviderError, ConfigError) as error:
        return str(error)
    finally:
        await client.close()
    return ""
