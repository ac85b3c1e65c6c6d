"""`ProviderTable`: the providers, their addresses and keys."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.client.retry import RetryPolicy
from zot_provider.credentials import Credentials, EnvironmentKeys, GivenKey, environment_value
from zot_provider.errors import ConfigError, MissingKey, UnknownName
from zot_provider.model import Model
from zot_provider.providers import LazySequence, provider_id
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, field
from zot_provider.registry.server_lists import ServerLists

if TYPE_CHECKING:
    from zot_provider.accounts.cloud import CloudAccounts
    from zot_provider.client.http import Client


class Endpoint(Record):
    """Key and base URL for one provider, and whether any certificate is accepted. It is never used for another
    provider. Empty fields mean the provider's own values."""

    key: str = ""
    base_url: str = ""
    insecure: bool = False


class _Entry(Record):
    """A provider, its own models, and a function that makes its client if it does not speak HTTP."""

    provider: Provider
    models: dict[str, Model] = field(default_factory=dict)
    open: "Callable[[Provider], Client] | None" = None


class _KnownEntries(Mapping[str, _Entry]):
    """The built-in and the user's providers by id; an entry is made when it is looked up."""

    def __init__(self, known: KnownProviders) -> None:
        self._known = known
        self._made: dict[str, _Entry] = {}

    def __getitem__(self, id: str) -> _Entry:
        if id not in self._made:
            provider = next((each for each in self._known.providers if each.id == id), None)
            if provider is None:
                raise KeyError(id)
            self._made[id] = _Entry(provider, {model.id: model for model in self._known.models.get(id, [])})
        return self._made[id]

    def __iter__(self) -> Iterator[str]:
        return (provider.id for provider in self._known.providers)

    def __len__(self) -> int:
        return len(self._known.providers)


class ProviderTable:
    """The built-in providers, the user's, and those added at run time, with their addresses and keys.

    `endpoints` holds keys and base URLs for single providers, by id. It may be changed at any time. `retries`
    is the policy of clients that are opened from now on. `warnings` name what the user's file has without effect.
    """

    def __init__(
        self,
        known: KnownProviders | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        credentials: Credentials | None = None,
        lists: ServerLists | None = None,
        open_in_process: "Callable[[Provider], Client] | None" = None,
    ) -> None:
        """`known` holds the built-in and the user's providers. The default of `environ` is the environment of the
        process. Keys come from `environ` unless `credentials` are given. `lists` are the lists of servers.
        `open_in_process` makes the client of a known provider without a base URL."""
        self.environ: Mapping[str, str] = os.environ if environ is None else environ
        self.credentials: Credentials = credentials or EnvironmentKeys(self.environ)
        self.endpoints: dict[str, Endpoint] = {}
        self.retries = RetryPolicy()
        self._clouds: CloudAccounts | None = None
        self._added: dict[str, _Entry] = {}
        self.lists = lists or ServerLists()
        self._open_in_process = open_in_process
        self.reload(known or KnownProviders())

    @property
    def providers(self) -> Sequence[Provider]:
        """The built-in providers, the user's, then the added ones."""
        return LazySequence(entry.provider for entry in self._all_entries())

    def id_of(self, name: str) -> str:
        """Return the id of the provider with this id or alias; any other name stays as it is."""
        return name if not name or name in self._added or name in self._known else provider_id(name)

    def has(self, name: str) -> bool:
        """Whether a provider has this id or alias."""
        id = self.id_of(name)
        return bool(id) and (id in self._added or id in self._known)

    def provider(self, id: str) -> Provider:
        """Return the provider with this id or alias. Raises `UnknownName` with similar ids."""
        entry = self._added.get(id) or self._known.get(self.id_of(id))
        if entry is None:
            raise self.unknown(id)
        return entry.provider

    def unknown(self, name: str) -> UnknownName:
        return UnknownName.among("provider", name, [each.id for each in self.providers], "(docs/providers.md has all)")

    def add(
        self, provider: Provider, models: Iterable[Model] = (), *, open: "Callable[[Provider], Client] | None" = None
    ) -> None:
        """Add a provider, or replace the provider with the same id, whose models stay known.

        `open` makes the client of a provider that does not speak HTTP. It is not called while the provider has a base
        URL from `endpoints` or the environment.
        """
        self._added[provider.id] = _Entry(provider, {model.id: model for model in models}, open)

    def known(self, id: str) -> Provider | None:
        """Return the built-in or the user's provider with this id, whatever was added in its place; None if there is
        none."""
        entry = self._known.get(id)
        return None if entry is None else entry.provider

    def remove(self, id: str) -> None:
        """Undo `add` for this id. Does nothing if nothing was added."""
        self._added.pop(id, None)
        self.lists.forget(id)

    def reload(self, known: KnownProviders) -> None:
        """Replace the built-in and the user's providers by `known`. Added providers stay."""
        self._keys, self._discover, self.warnings = known.keys, known.discover, known.warnings
        self._known = _KnownEntries(known)

    def opener(self, id: str) -> "Callable[[Provider], Client] | None":
        """Return the function that makes the provider's client; None if it speaks HTTP."""
        if self.base_url(id):
            return None
        entry = self._added.get(id)
        if entry is None and self.provider(id).base_url is None:
            return self._open_in_process
        return None if entry is None else entry.open

    def base_url(self, id: str) -> str:
        """Return the base URL that replaces the provider's own: that of `endpoints`, else that of the environment, else
        an empty string. Raises `UnknownName`."""
        return self._base_url(self.provider(id), id)

    def _base_url(self, provider: Provider, id: str) -> str:
        return self._endpoint(id).base_url or environment_value(provider.base_url_env, self.environ)

    def address(self, id: str) -> str:
        """Return the base URL in use for the provider, or an empty string. Raises `UnknownName`."""
        provider = self.provider(id)
        return self._base_url(provider, id) or provider.base_url or ""

    def credentials_of(self, id: str) -> Credentials:
        """Return the key given for this provider or in the user's file, else the credentials of all or of its cloud."""
        given = self._endpoint(id).key or self._keys.get(id, "")
        if given:
            return GivenKey(given, self.environ)
        provider = self.provider(id)
        if not provider.account:
            return self.credentials
        from zot_provider.accounts.cloud import CloudAccounts  # noqa: PLC0415  only for providers in clouds

        self._clouds = self._clouds or CloudAccounts(self.environ)
        return self._clouds.add_to(self.credentials, provider)

    def ready(self, id: str) -> bool:
        """Whether the provider has an address, and a key or no need of one. Raises `UnknownName`."""
        provider = self.provider(id)
        try:
            self.credentials_of(id).check(provider)
        except MissingKey:
            return False
        except ConfigError:  # there is a key; the first request reports the problem
            pass
        return bool(self.base_url(id)) or provider.addressed(self.environ)

    # Internal.

    def _default_provider(self) -> str:
        """Return the first provider with a key, else the first provider."""
        providers = self.providers
        return next((each.id for each in providers if not each.keyless and self.ready(each.id)), providers[0].id)

    def _all_entries(self) -> Iterator[_Entry]:
        """Yield the entries in order; an added entry takes the place of the known entry with its id."""
        for id in self._known:
            yield self._added.get(id) or self._known[id]
        yield from (entry for id, entry in self._added.items() if id not in self._known)

    def _endpoint(self, id: str) -> Endpoint:
        return self.endpoints.get(id) or Endpoint()

    def _entries(self, id: str) -> list[_Entry]:
        """Return the entries of a provider; the last one wins."""
        return [entries[id] for entries in (self._added, self._known) if id in entries]
