"""The lists of providers, as `zot models refresh` asks for them."""

import pytest

from zot_provider.errors import ConfigError
from zot_provider.providers import PROVIDERS
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.testing import ScriptedServer


@pytest.mark.parametrize(
    ("id", "wire", "path"),
    [
        ("google", "gemini", "/v1beta/models?pageSize=1000"),
        ("anthropic", "anthropic-messages", "/v1/models?limit=1000"),
        ("groq", "openai-chat", "/v1/models"),
    ],
)
async def test_all_models_are_asked_for_at_once(id: str, wire: str, path: str) -> None:
    with ScriptedServer(models=["a", "b"], key="k") as server:
        registry = ModelRegistry(environ={})
        registry.endpoints[id] = Endpoint("k", server.base_url(wire))
        client = RoutingClient(registry)
        await registry.live(id, client.list_models)
        await client.close()
    assert [model.id for model in registry.lists.models(id, registry.address(id)).values()] == ["a", "b"]
    assert [request.path for request in server.requests] == [path]


@pytest.mark.parametrize("id", [each.id for each in PROVIDERS if not each.listed])
async def test_a_provider_without_a_list_is_not_asked_for_one(id: str) -> None:
    with ScriptedServer() as server:
        registry = ModelRegistry(environ={})
        registry.endpoints[id] = Endpoint("k", server.base_url(registry.provider(id).wire))
        client = RoutingClient(registry)
        assert (await registry.listing(client.list_models, which="ready", ask="always")).problems.get(id) is None
        with pytest.raises(ConfigError, match=f"{id} has no list of models"):
            await client.list_models(id)
        await client.close()
    assert server.requests == []
