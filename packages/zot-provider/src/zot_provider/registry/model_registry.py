"""`ModelRegistry`: the providers and their models.

The models come from four sources: the user's `models.json`, providers added at run time, the lists that servers
returned, and the catalogue.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Literal, TypeAlias

from zot_provider.catalog import find_model, in_catalog, list_models, unlisted_model
from zot_provider.catalog.names import match_model, split_level
from zot_provider.errors import ConfigError, ResponseTimeout, ZotError
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.record import Record, field
from zot_provider.registry.provider_table import ProviderTable
from zot_provider.request import Reasoning

Fetch: TypeAlias = Callable[[str], Awaitable[Iterable[str | Model]]]
"""Fetches the list of models from the server of the provider with this id: `RoutingClient.list_models`."""

Which: TypeAlias = Literal["current", "ready", "all"]
"""The current provider; the current provider and all that have a key or need none; all providers."""

Ask: TypeAlias = Literal["never", "unlisted", "stale", "always"]
"""Which servers are asked for their list; "unlisted": servers whose models are in no catalogue; "stale": also those
whose kept list is not fresh."""

LIST_LIMIT = 2.5
"""Seconds to wait for a server's list of models."""


class Listing(Record):
    """Models of several providers, and the errors of servers that returned no list, by provider id."""

    models: list[Model]
    problems: dict[str, ZotError] = field(default_factory=dict)


class ModelRegistry(ProviderTable):
    """The providers and their models. The registry opens no connections: a `Fetch` function asks servers."""

    def models(self, id: str = "") -> list[Model]:
        """Return the known models of this provider, or of all providers for an empty id. No server is asked.

        The user's entry for a model wins over all others. If a base URL was given, the models of the catalogue are left
        out, since the server behind it has its own names. Raises `UnknownName`.
        """
        ids = [id] if id else [provider.id for provider in self.providers]
        return [model for each in ids for model in self._models(each, own_names=self.has_own_names(each))]

    def find(self, provider_id: str, model_id: str) -> Model | None:
        """Return the model with exactly this id, from the first source that has it: the user, `add`, the server's
        list, the catalogue. None if no source has it, or if the provider is unknown."""
        for entries in (self._known, self._added):
            entry = entries.get(provider_id)
            if entry is not None and model_id in entry.models:
                return entry.models[model_id]
        if provider_id not in self._known and provider_id not in self._added:
            return None
        return self._server_models(provider_id).get(model_id) or find_model(self.provider(provider_id), model_id)

    def knows(self, model: Model) -> bool:
        """Whether `find` finds the model, or the model is a dated snapshot of a model of the catalogue."""
        found = self.find(model.provider, model.id) is not None
        return found or any(in_catalog(each, model.id) for each in self.providers if each.id == model.provider)

    def unlisted(self, model: Model, before: Model | None = None) -> bool:
        """Whether to warn a person because the models of the provider are known and do not include this model. `before`
        is the model that was in use before; see `has_own_names`."""
        return not self.knows(model) and not self.has_own_names(model.provider, before)

    def has_own_names(self, id: str, current: Model | None = None) -> bool:
        """Whether only the provider's server knows the names of its models.

        True for a provider without a catalogue, and if a base URL was given. If the `current` model belongs to this
        provider, it decides: a server at another address that accepts a name of the catalogue is a proxy and knows all
        names of the catalogue; a server that accepts another name has its own names. Raises `UnknownName`.
        """
        provider = self.provider(id)
        if not provider.catalog:
            return True
        if current is not None and current.provider == id and current.id:
            elsewhere = bool(self.base_url(id)) or provider not in PROVIDERS
            return elsewhere and not in_catalog(provider, current.id)
        return bool(self._endpoint(id).base_url)

    def default(self, id: str) -> Model:
        """Return the model to use if only the provider is named. Its id is empty if only the server knows its models.
        Raises `UnknownName`."""
        provider = self.provider(id)
        described = [model for entry in self._entries(id) for model in entry.models.values()]
        name = provider.default_model or (described[0].id if described else "")
        return self.find(id, name) or unlisted_model(name, provider)

    def remember(self, id: str, models: Iterable[str | Model]) -> None:
        """Store the list of a provider's server, replacing an earlier list. It is valid only for the current address.

        An id that is not in the catalogue becomes a model with unknown limits and price. It is assumed to support
        reasoning, so that a request may ask for it. Raises `UnknownName`.
        """
        provider, listed = self.provider(id), {}
        for each in models:
            if isinstance(each, str):
                each = find_model(provider, each) or unlisted_model(each, provider)
            listed[each.id] = each
        self.lists.remember(id, self.address(id), listed)

    async def live(self, id: str, fetch: Fetch, limit: float = LIST_LIMIT) -> list[Model]:
        """Ask the provider's server for its list, remember it, and return the known models of the provider.

        Raises `ProviderError` without a list within `limit` seconds, and `ConfigError` if the server cannot be asked.
        """
        self.provider(id)
        try:
            async with asyncio.timeout(limit):
                listed = await fetch(id)
        except TimeoutError:
            raise ResponseTimeout(f"{id}: no list of models came within {limit:g} s") from None
        self.remember(id, listed)
        return self.models(id)

    async def listing(
        self,
        fetch: Fetch | None = None,
        *,
        which: Which = "ready",
        current: Model | None = None,
        ask: Ask = "unlisted",
        limit: float = LIST_LIMIT,
    ) -> Listing:
        """Return the models a person may choose from. The current provider's come first and include `current`.

        Servers are asked in parallel, each with `limit` seconds; without `fetch` no server is asked. A provider without
        a key is asked only if it is the current one. `Listing.problems` has the failures. Raises `UnknownName`.
        """
        ids = self._provider_ids(which, current)
        problems: dict[str, ZotError] = {}

        async def fetch_one(fetch: Fetch, id: str) -> None:
            try:
                await self.live(id, fetch, limit)
            except ZotError as error:
                if ask == "always" or self.has_own_names(id, current):  # otherwise the catalogue has its models
                    problems[id] = error

        if fetch is not None:
            asked = [id for id in ids if self._should_fetch(id, ask, current)]
            await asyncio.gather(*(fetch_one(fetch, id) for id in asked))
            if asked and self.lists.kept:
                await asyncio.to_thread(self.lists.save)
        models: list[Model] = []
        for id in ids:
            found = self._models(id, own_names=self.has_own_names(id, current))
            if current is not None and current.provider == id and current.id:
                found = found if any(each.id == current.id for each in found) else [current, *found]
            models += found
        return Listing(models, problems)

    def resolve(self, name: str, current: Model | None = None, *, provider: str = "") -> Model:
        """Return the model that a person means by `name` while `current` is in use.

        `name` is an id, words of an id, or PROVIDER/ID; `provider` names the provider if the name does not. The rules,
        in order:

        1. An exact id of the current provider.
        2. PROVIDER/ID, if PROVIDER is the current provider, has the model or has no catalogue, or if no id of the
           current provider contains a slash. If the current server `has_own_names`, the provider needs a key.
        3. An exact id of another provider (providers with a key first), unless the current server `has_own_names`.
        4. The result of `match`, which accepts any name: `unlisted` says whether to warn.

        Raises `ConfigError` for an empty name, and `UnknownName` for an unknown provider.
        """
        here = provider or (current.provider if current is not None else self._default_provider())
        name, here = name.strip(), self.provider(here).id
        head, slash, rest = name.partition("/")
        if slash and self.id_of(head) != head:
            head, name = self.id_of(head), f"{self.id_of(head)}/{rest}"
        if not name or (slash and not rest):
            raise ConfigError("the model's name is empty")
        found = self.find(here, name)
        if found is not None:
            return found
        if slash and head == here:
            return self.match(here, rest, current)
        if provider:
            return self.match(here, name, current)
        return self._resolve(name, here, current)

    def split_level(self, name: str, provider: str = "") -> tuple[str, Reasoning | None]:
        """Return a name without the reasoning level at its end ("opus:high"), and the level. The
        level is None for a name without a level, and for an id of a model (of `provider`, unless that is empty)."""
        short, level = split_level(name)
        if level is None:
            return name, None
        head, _, rest = name.partition("/")
        ids = [provider] if provider else [each.id for each in self.providers]
        if any(self.find(id, name) is not None for id in ids) or self.find(head, rest) is not None:
            return name, None
        return short, level

    def match(self, id: str, name: str, current: Model | None) -> Model:
        """Return the model of this provider that a person means by `name`, as `match_model` finds it, else the name as
        an id. Only exact ids count if the server `has_own_names`. Raises `UnknownName`."""
        found = self.find(id, name)
        if found is None and not self.has_own_names(id, current):
            found = match_model(name, {model.id: model for model in self._models(id, own_names=False)})
        return found or unlisted_model(name, self.provider(id))

    # Internal.

    def _resolve(self, name: str, here: str, current: Model | None) -> Model:
        """Apply rules 2 to 4 of `resolve` to a name that does not begin with the id of the provider `here`."""
        head, slash, rest = name.partition("/")
        others = [provider.id for provider in self.providers if provider.id != here]
        own_names = self.has_own_names(here, current)
        no_slashes = not own_names and not any("/" in model.id for model in self._models(here, own_names=False))
        if slash and head in others:
            named = self.provider(head)
            any_name = not named.catalog and (not own_names or self.ready(head) or named not in PROVIDERS)
            if no_slashes or any_name or self.find(head, rest):
                return self.match(head, rest, current)
        if not own_names:
            for other in sorted(others, key=lambda id: not self.ready(id)):
                found = self.find(other, name)
                if found is not None:
                    return found
        if slash and no_slashes:
            self.provider(head)  # raises `UnknownName`
        meant = self.match(here, name, current)
        if not own_names and not self.knows(meant):
            for other in (each for each in others if self.ready(each)):
                found = match_model(name, {model.id: model for model in self.models(other)})
                if found is not None:
                    return found
        return meant

    def _server_models(self, id: str) -> dict[str, Model]:
        return self.lists.models(id, self.address(id))

    def _models(self, id: str, *, own_names: bool) -> list[Model]:
        catalogue = [] if own_names else list_models(self.provider(id))
        found: dict[str, Model] = {model.id: model for model in catalogue} | self._server_models(id)
        for entry in self._entries(id):
            found |= entry.models
        return list(found.values())

    def _provider_ids(self, which: Which, current: Model | None) -> list[str]:
        first = [] if current is None else [self.provider(current.provider).id]
        if which == "current":
            return first
        ids = [provider.id for provider in self.providers if which == "all" or self.ready(provider.id)]
        return list(dict.fromkeys([*first, *ids]))

    def _should_fetch(self, id: str, ask: Ask, current: Model | None) -> bool:
        if ask == "never" or not (self.address(id) or self.opener(id)):
            return False
        if not (self.provider(id).listed and self.ready(id)) and (current is None or current.provider != id):
            return False
        if ask == "always" or id in self._discover:
            return ask == "always" or self._discover[id]
        stale = ask == "stale" and self.lists.kept and not self.lists.fresh(id, self.address(id))
        return stale or self.has_own_names(id, current)
