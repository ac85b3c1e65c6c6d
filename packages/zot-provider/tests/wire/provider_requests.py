"""Requests of providers to a scripted server that answers in their own place."""

from urllib.parse import urlsplit

from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.credentials import Credentials, EnvironmentKeys, GivenKey
from zot_provider.events import StreamEvent
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.request import Request, ToolSpec
from zot_provider.testing import Received, ScriptedServer, Turn

KEY = "a-key-0123456789"
ENVIRON = {
    "CLOUDFLARE_ACCOUNT_ID": "acc",
    "CLOUDFLARE_GATEWAY_ID": "gw",
    "AZURE_OPENAI_RESOURCE_NAME": "res",
    "AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "gpt-5.4=mine, o3 = other,nonsense",
}
READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def by_id(id: str) -> Provider:
    """The provider, with the variables of its addresses."""
    return next(provider for provider in PROVIDERS if provider.id == id).fill(ENVIRON)


def moved(provider: Provider, origin: str) -> Provider:
    """The same provider on another host."""

    def move(url: str | None) -> str | None:
        return url and origin + urlsplit(url).path

    routes = tuple(route.replace(base_url=move(route.base_url)) for route in provider.routes)
    urls = tuple((name, move(url) or "") for name, url in provider.key_urls)
    return provider.replace(base_url=move(provider.base_url), routes=routes, key_urls=urls)


async def send(
    id: str, request: Request, answer: Turn | str = "ok", credentials: Credentials | None = None
) -> tuple[Received, list[StreamEvent]]:
    """What the provider's server receives for a request, and the events of the answer."""
    provider = by_id(id)
    if credentials is None:
        credentials = EnvironmentKeys({provider.key_env[0]: KEY}) if provider.key_env else GivenKey(KEY)
    with ScriptedServer([answer], paths=_everywhere(provider, request.model.id)) as server:
        client = HttpClient(moved(provider, server.url), credentials=credentials, retries=RetryPolicy(retries=0))
        try:
            events = [event async for batch in client.stream(request) for event in batch]
        finally:
            await client.close()
        (received,) = server.requests
    return received, events


def _everywhere(provider: Provider, model: str) -> dict[str, str]:
    """The endpoints of all wires below each path of the provider."""
    urls = [provider.base_url, *(route.base_url for route in provider.routes), *(url for _, url in provider.key_urls)]
    paths = [urlsplit(url or "").path for url in urls]
    return {
        path + suffix: endpoint
        for path in paths
        for suffix, endpoint in (
            ("/v1/messages", "/v1/messages"),
            ("/chat/completions", "/v1/chat/completions"),
            ("/responses", "/v1/responses"),
            (f"/models/{model}:streamGenerateContent", f"/v1beta/models/{model}:streamGenerateContent"),
        )
    }
