"""Calls for the secrets of an extension, in the store of the keys of providers: an entry for each extension and key."""

from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import CallServices, ExtensionCall
from zot_agent.operations.fields import OperationFailed
from zot_provider.auth.entry import Entry
from zot_provider.auth.secrets import remember_secret
from zot_provider.auth.store import AccountStore

if TYPE_CHECKING:
    from zot_ext.protocol.answers import KeptValue


async def get(call: ExtensionCall) -> "KeptValue":
    entry = await _store(call).load(_name(call))
    token = None if entry is None or entry.token is None else entry.token.access
    return {"value": (entry.key if entry is not None else "") or token}


async def set(call: ExtensionCall) -> None:
    value: str = call.params["value"]
    if value != value.strip():
        raise OperationFailed("invalid", "value has spaces around it")
    remember_secret(value)
    store, name = _store(call), _name(call)
    before = await store.load(name)
    await store.save(name, Entry(value))
    if before is None:  # another value may be a newer token of the same sign-in
        call.services.signed_in(call.connection)


async def delete(call: ExtensionCall) -> None:
    await _store(call).delete(_name(call))
    call.services.signed_in(call.connection)


def _name(call: ExtensionCall) -> str:
    return secret_name(call.extension, call.params["key"])


def secret_name(extension: str, key: str) -> str:
    """Return the name under which a secret is stored."""
    # No provider has such a name, and a key of one extension is never that of another.
    return f"extension/{extension.replace('/', '//')}/{key.replace('/', '//')}"


def _store(call: ExtensionCall) -> AccountStore:
    return secret_store(call.services)


def secret_store(services: CallServices) -> AccountStore:
    """Return where secrets are kept. Raises `OperationFailed` if they are not."""
    if services.accounts is None:
        raise OperationFailed("unavailable", "this zot was started with its own keys, so it stores no secrets")
    return services.accounts()
