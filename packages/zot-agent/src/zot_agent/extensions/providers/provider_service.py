"""`ServedProviders`: the providers that extensions serve, in the registry of models."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.providers.client import ExtensionClient
from zot_agent.extensions.providers.offer import ProviderOffer, read_models, read_offer
from zot_agent.extensions.providers.sign_in import ExtensionSignIn
from zot_agent.extensions.registry import RegistrationError
from zot_core.hooks import Observe
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ConnectError
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry


class ServedProviders:
    """Adds the providers of extensions to `registry`: what the manifests say of them, until a program says more.

    An extension is asked through `extensions`. Before `ask` says which, `start` makes them when one is first needed.
    A provider stays known when its extension ends, because the model in use must not become unknown: the next request
    starts the extension again.
    """

    def __init__(
        self,
        registry: ModelRegistry,
        start: Callable[[list[DiscoveredExtension], "ServedProviders"], Extensions] | None = None,
        *,
        retries: RetryPolicy | None = None,
    ) -> None:
        """`retries`: how failed calls are repeated, in place of the registry's policy."""
        self.extensions: Extensions | None = None
        self.changed: Observe[str] = Observe()
        """The description of the provider with this id has changed."""
        self.problems: list[str] = []
        """Lines for the person about what manifests say."""
        self._registry, self._start, self._retries = registry, start, retries
        self._owners: dict[str, DiscoveredExtension] = {}  # by the id of the provider
        self._sign_ins: dict[str, ExtensionSignIn] = {}

    def ask(self, extensions: Extensions) -> None:
        """Ask these extensions from now on: a model is chosen before any of them is made."""
        self.extensions = extensions

    @property
    def names(self) -> list[str]:
        return list(self._owners)

    def announce(self, active: Iterable[DiscoveredExtension]) -> None:
        """Add what the manifests of the `active` extensions say, in place of all that was added before."""
        for name in self._owners:
            self._registry.remove(name)
        self._owners, self.problems = {}, []
        for found in active:
            for name, config in found.manifest.providers.value.items() if found.manifest.providers else ():
                id = self._registry.id_of(name)
                if id in self._owners:
                    first = self._owners[id].name
                    self.problems.append(f"extension {found.name}: the provider {id} is that of extension {first}")
                    continue
                self._owners[id] = found
                try:
                    self._add(id, config if isinstance(config, dict) else {})
                except RegistrationError as error:
                    self.problems.append(f"extension {found.name}: {error}")

    def register(self, extension: str, name: str, config: Mapping[str, Any]) -> list[str]:
        """Replace what is known of a provider by what its extension says; return warnings. Raises
        `RegistrationError`."""
        id = self._own(extension, name)
        warnings = self._add(id, config).warnings
        self.changed.notify(id)
        return warnings

    def unregister(self, extension: str, name: str) -> None:
        """Remove a provider. One of zot itself is then as before. Raises `RegistrationError`."""
        id = self._own(extension, name)
        self._registry.remove(id)
        self.changed.notify(id)

    def owner(self, id: str) -> str:
        """Return the name of the extension that serves a provider; empty if none does."""
        return self._owners[id].name if id in self._owners else ""

    async def close(self) -> None:
        """Stop the extensions that were started here."""
        if self._start is not None and self.extensions is not None:
            extensions, self.extensions = self.extensions, None
            await extensions.close()

    # Internal.

    def _own(self, extension: str, name: str) -> str:
        id = self._registry.id_of(name)
        owner = self._owners.get(id)
        if owner is None or owner.name != extension:
            why = "the manifest must name it in 'providers'" if owner is None else f"extension {owner.name} serves it"
            raise RegistrationError(f"the provider {name!r} cannot be registered: {why}")
        return id

    def _add(self, id: str, config: Mapping[str, Any]) -> ProviderOffer:
        registry = self._registry
        sign_in = self._sign_ins.setdefault(id, ExtensionSignIn(id, partial(self._connect, id), self._limits))
        offer = read_offer(id, config, registry.known(id), registry.environ, sign_in)
        registry.add(offer.provider, offer.models, open=partial(self._open, offer) if offer.streams else None)
        return offer

    def _open(self, offer: ProviderOffer, provider: Provider) -> ExtensionClient:
        id = provider.id
        return ExtensionClient(
            provider,
            self._registry.credentials_of(id),
            partial(self._connect, id),
            limits=self._limits,
            known=lambda: self._registry.models(id),
            read=partial(read_models, offer) if offer.lists else None,
            retries=self._retries or self._registry.retries,
        )

    def _limits(self) -> ExtensionLimits:
        return self.extensions.setup.limits if self.extensions is not None else DEFAULT_LIMITS

    async def _connect(self, id: str) -> Connection:
        """Return the extension that serves a provider, once it has registered, and started again if it has ended.
        Raises `ConnectError`."""
        owner = self._owners.get(id)
        if owner is None:
            raise ConnectError("no extension serves it any more")
        if self.extensions is None and self._start is not None:
            self.extensions = self._start([*{each.name: each for each in self._owners.values()}.values()], self)
            self.extensions.start()
        members = self.extensions.members if self.extensions is not None else []
        member = next((each for each in members if each.name == owner.name), None)
        if member is None or self.extensions is None:
            raise ConnectError(f"extension {owner.name!r}, which serves it, does not run")
        if member.failure and member.started.done():
            deadline = asyncio.get_running_loop().time() + self._limits().ready_total_seconds
            member.begin(member.restart(deadline))
        if member.late is not None:
            member.late.need()
        await asyncio.wait([member.started])  # the start has limits
        connection = member.connection
        if connection is None or connection.state != "running":
            raise ConnectError(f"extension {owner.name!r}, which serves it, does not run: {member.failure}")
        if "providers" not in connection.granted:
            raise ConnectError(f"extension {owner.name!r} did not ask for the group 'providers' in its hello")
        return connection
