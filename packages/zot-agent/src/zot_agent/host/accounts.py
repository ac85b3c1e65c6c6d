"""The accounts of a person as front ends show them: which provider has a key, where it is, and how it is removed."""

import os

from zot_agent.host.build import MODELS_FILE
from zot_provider.auth.personal import PersonalKeys, has_stored_accounts
from zot_provider.auth.store import Stored
from zot_provider.credentials import GivenKey
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.providers.spec import Provider
from zot_provider.record import Record
from zot_provider.registry import ModelRegistry

_KINDS = {"api_key": "API key", "api_key_command": "command that prints a key", "oauth": "sign-in"}


class AccountLine(Record):
    """A provider and the source of its key.

    `kind`: "api_key", "api_key_command" or "oauth", empty without a key. `source`: "given" (for this run),
    "environment", "models.json", "file" or "keyring". `name`: the variable, the path, or the name of the keyring, empty
    for a given key. `shared`: the provider for which the key was stored, empty for this one. `problem`: why the key is
    useless.
    """

    provider: str
    kind: str = ""
    source: str = ""
    name: str = ""
    problem: str = ""
    shared: str = ""

    @property
    def text(self) -> str:
        """The origin of the key, for a person."""
        if not (self.kind or self.problem):
            return "no key"
        if not self.kind and not self.name:
            return self.problem
        if self.source == "given":
            return "API key given for this run"
        where = f"${self.name}" if self.source == "environment" else self.name
        whose = f", stored for {self.shared}" if self.shared else ""
        return f"{_KINDS.get(self.kind, 'entry')} in {where}{whose}{f' ({self.problem})' if self.problem else ''}"


def account_lines(registry: ModelRegistry, keys: PersonalKeys) -> list[AccountLine]:
    """List all providers that can have a key, in the order of the registry, then entries that no provider uses.

    A store that cannot be read as a whole is the last line. No keyring is asked.
    """
    store = keys.accounts.store if has_stored_accounts(keys.home) else None
    stored: dict[str, Stored] = {}
    lines: list[AccountLine] = []
    broken = ""
    try:
        stored = {each.name: each for each in store.listing()} if store is not None else {}
    except ConfigError as error:
        broken = str(error)
    used: set[str] = set()
    for provider in registry.providers:
        found = next((stored[name] for name in provider.stored_names if name in stored), None)
        used |= {found.name} if found is not None else set()
        variable = next((name for name in provider.key_env if registry.environ.get(name, "").strip()), "")
        given = registry.endpoints.get(provider.id)
        if given is not None and given.key:
            lines.append(AccountLine(provider.id, "api_key", "given"))
        elif isinstance(registry.credentials_of(provider.id), GivenKey):
            lines.append(AccountLine(provider.id, "api_key", "models.json", os.path.join(keys.home, MODELS_FILE)))
        elif variable:
            lines.append(AccountLine(provider.id, "api_key", "environment", variable))
        elif found is not None and store is not None:
            problem = found.problem or _problem(keys, provider)
            shared = found.name if found.name == provider.key_of else ""
            lines.append(AccountLine(provider.id, found.kind, found.place, store.where(found.place), problem, shared))
        elif provider.key_env or provider.sign_in:
            lines.append(AccountLine(provider.id))
    for each in (each for each in stored.values() if each.name not in used):
        where = store.where(each.place) if store is not None else ""
        whose = "a secret of an extension" if each.name.startswith("extension/") else "zot knows no such provider"
        lines.append(AccountLine(each.name, each.kind, each.place, where, each.problem or whose))
    return [*lines, AccountLine("(stored)", problem=broken)] if broken else lines


def find_provider(registry: ModelRegistry, name: str) -> Provider:
    """Return the provider with this id or alias. Raises `UnknownName`."""
    for provider in registry.providers:
        if name in (provider.id, *provider.aliases):
            return provider
    raise UnknownName.among("provider", name, [each.id for each in registry.providers if each.key_env or each.sign_in])


def stored_accounts(keys: PersonalKeys) -> list[str]:
    """List the names of the entries that are stored. Raises `ConfigError`."""
    return [each.name for each in keys.accounts.store.listing()] if has_stored_accounts(keys.home) else []


async def sign_out(registry: ModelRegistry, keys: PersonalKeys, name: str) -> list[str]:
    """Delete the stored keys and tokens of the provider with this id or alias.

    A key that it takes from another provider of the same company is deleted if it has none. Return lines for
    the person, none if nothing was deleted. Raises `UnknownName`, and `ConfigError` if the store cannot be changed.
    """
    stored, names, variables = stored_accounts(keys), [name], list[str]()
    shared = ""
    try:
        provider = find_provider(registry, name)
        names, shared, variables = [provider.id, *provider.aliases], provider.key_of, [*provider.key_env]
    except UnknownName:
        if name not in stored:
            raise
    found = [each for each in names if each in stored] or [shared] * (shared in stored)
    for each in found:
        await keys.accounts.store.delete(each)
    left = [f"${each} is still set and is used" for each in variables if registry.environ.get(each, "").strip()]
    if shared in stored and shared not in found:
        left.append(f"what is stored for {shared} is used now")
    return [f"deleted what was stored for {' and '.join(found)}", *left] if found else []


def _problem(keys: PersonalKeys, provider: Provider) -> str:
    try:
        keys.check(provider)
    except ConfigError as error:
        return "a sign-in that zot does not use" if str(error).startswith("no ") else str(error)
    return ""
