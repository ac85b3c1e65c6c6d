"""`RoutingClient`: one client for all providers, which sends each request to the provider of its model."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from zot_provider.client.http import Client, HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.events import StreamEvent
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.record import Record
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.request import Request
from zot_provider.selection import Selection, environment_key

if TYPE_CHECKING:
    from zot_provider.transport.http import HttpTransport


class _OpenClient(Record):
    """A client, and the settings with which it was opened."""

    client: Client
    provider: Provider
    endpoint: Endpoint | None
    address: str
    opener: Callable[[Provider], Client] | None


class RoutingClient(Client):
    """Sends each request to the provider of its model.

    It opens a client for a provider before the first request to it, and again after the provider, its address or its
    endpoint changed in the registry. All clients share a pool of connections.
    """

    def __init__(
        self,
        registry: ModelRegistry | None = None,
        *,
        retries: RetryPolicy | None = None,
        coalesce_seconds: float = 0.0,
    ) -> None:
        """`registry` has the providers, their addresses and keys; `retries` replaces its policy. `coalesce_seconds` is
        passed to `HttpLimits`."""
        self.registry = registry or ModelRegistry()
        self._retries = retries
        self._coalesce_seconds = coalesce_seconds
        self._opened: dict[str, _OpenClient] = {}
        self._custom_clients: list[Client] = []  # clients that do not speak HTTP, including replaced ones
        self._transports: dict[bool, HttpTransport] = {}

    def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`. Raises the errors of `check` at once."""
        client = self.client(request.model.provider)
        preparation = client.preparation()
        return client.stream(request) if preparation is None else self._prepared(preparation, request)

    async def _prepared(
        self, preparation: Awaitable[None], request: Request
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        await preparation
        async with aclosing(self.client(request.model.provider).stream(request)) as batches:
            async for batch in batches:
                yield batch

    def check(self, model: Model) -> None:
        """Raise `MissingKey` (which names the variables to set), `UnknownName` or another `ConfigError` if no request
        to this model could be made. Contacts no server."""
        self.client(model.provider).check(model)

    def alternatives(self, model: Model) -> list[str]:
        """Return the default models of the other providers with a key or a sign-in, in the form PROVIDER/ID: what a
        person may use if `model` fails. A provider that reads the same variables has the same account and is left out.
        Contacts no server."""
        registry = self.registry
        same = {name for each in registry.providers if each.id == model.provider for name in each.key_env}
        others = [each for each in registry.providers if each.id != model.provider and not same & {*each.key_env}]
        found = [registry.default(each.id) for each in others if not each.keyless and registry.ready(each.id)]
        return [f"{each.provider}/{each.id}" for each in found if each.id]

    async def models(self, provider_id: str) -> list[str]:
        """Return the ids of the models that the provider's server lists. Raises the errors of `served_models`."""
        return [model.id for model in await self.list_models(provider_id)]

    async def list_models(self, provider_id: str) -> list[Model]:
        """Return the models that the provider's server lists. Raises the errors of `served_models`."""
        return await self.client(provider_id).served_models()

    async def name_model(self, model: Model) -> Model:
        """Return the model, or the server's first model, with what the server says of it, if it has no id. Raises the
        errors of `served_models`."""
        listed = [] if model.id else await self.list_models(model.provider)
        if not listed:
            return model
        first = listed[0]
        return self.registry.find(model.provider, first.id) or first

    def client(self, provider_id: str) -> Client:
        """Return the client of a provider, which `close` closes. Raises `UnknownName`, `MissingKey`, or another
        `ConfigError`."""
        registry = self.registry
        provider, address = registry.provider(provider_id), registry.address(provider_id)
        endpoint, opener = registry.endpoints.get(provider_id), registry.opener(provider_id)
        opened = self._opened.get(provider_id)
        if (
            opened is not None
            and opened.address == address
            and opened.opener is opener
            and opened.endpoint == endpoint
            and opened.provider == provider
        ):
            return opened.client
        client = self._open(provider, endpoint or Endpoint()) if opener is None else opener(provider)
        if opener is not None:
            self._custom_clients.append(client)
        self._opened[provider_id] = _OpenClient(client, provider, endpoint, address, opener)
        return client

    async def close(self) -> None:
        closed: list[Client | HttpTransport] = [*self._custom_clients, *self._transports.values()]
        self._opened, self._custom_clients, self._transports = {}, [], {}
        async with AsyncExitStack() as stack:  # closes the remaining clients if one fails
            for each in closed:
                stack.push_async_callback(each.close)

    def _open(self, provider: Provider, endpoint: Endpoint) -> HttpClient:
        base_url = self.registry.base_url(provider.id)
        return HttpClient(
            provider.fill(self.registry.environ, base_url),
            credentials=self.registry.credentials_of(provider.id),
            base_url=base_url,
            transport=lambda: self._transport(insecure=endpoint.insecure),
            retries=self._retries or self.registry.retries,
        )

    def _transport(self, *, insecure: bool) -> "HttpTransport":
        if insecure not in self._transports:
            from zot_provider.transport.http import HttpLimits, HttpTransport  # noqa: PLC0415  not before a request

            self._transports[insecure] = HttpTransport(
                HttpLimits(coalesce_seconds=self._coalesce_seconds), insecure=insecure
            )
        return self._transports[insecure]


def open_client(
    selection: Selection,
    *,
    registry: ModelRegistry | None = None,
    insecure: bool = False,
    retries: RetryPolicy | None = None,
    coalesce_seconds: float = 0.0,
) -> RoutingClient:
    """Return a client for the selected model and all providers of the `registry`.

    The key and the base URL of the selection become the registry's endpoint for that provider, unless they come from
    the environment, which each request reads again. Raises `MissingKey`, or another `ConfigError`.
    """
    registry, provider = registry or ModelRegistry(), selection.provider
    if provider not in registry.providers:
        registry.add(provider)
    key = "" if selection.key == environment_key(provider, registry.environ) else selection.key
    base_url = "" if selection.base_url == registry.base_url(provider.id) else selection.base_url
    if key or base_url or insecure:
        before = registry.endpoints.get(provider.id, Endpoint())
        registry.endpoints[provider.id] = Endpoint(
            key or before.key, base_url or before.base_url, insecure or before.insecure
        )
    client = RoutingClient(registry, retries=retries, coalesce_seconds=coalesce_seconds)
    client.check(selection.model)
    return client
