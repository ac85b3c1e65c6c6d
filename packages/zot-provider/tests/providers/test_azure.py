import pytest

from zot_provider.client.endpoint import endpoint
from zot_provider.completion import complete
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.testing import ScriptedServer
from zot_provider.wire import load_wire

ID = ModelRegistry().provider("azure").id


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"AZURE_OPENAI_RESOURCE_NAME": "r"}, "https://r.openai.azure.com/openai/v1/responses"),
        ({"AZURE_OPENAI_BASE_URL": "https://r.openai.azure.com"}, "https://r.openai.azure.com/openai/v1/responses"),
        (
            {"AZURE_OPENAI_BASE_URL": "https://r.cognitiveservices.azure.com/"},
            "https://r.cognitiveservices.azure.com/openai/v1/responses",
        ),
        (
            {"AZURE_OPENAI_BASE_URL": "https://r.services.ai.azure.com/openai/v1/"},
            "https://r.services.ai.azure.com/openai/v1/responses",
        ),
        ({"AZURE_OPENAI_BASE_URL": "https://r.ai.azure.com/openai"}, "https://r.ai.azure.com/openai/v1/responses"),
        (
            {"AZURE_OPENAI_RESOURCE_NAME": "r", "AZURE_OPENAI_API_VERSION": "preview"},
            "https://r.openai.azure.com/openai/v1/responses?api-version=preview",
        ),
        (
            {"AZURE_OPENAI_BASE_URL": "https://r.openai.azure.com", "AZURE_OPENAI_API_VERSION": "preview"},
            "https://r.openai.azure.com/openai/v1/responses?api-version=preview",
        ),
    ],
)
def test_a_resource_and_each_form_of_its_address_lead_to_the_same_path(environ: dict[str, str], url: str) -> None:
    registry = ModelRegistry(environ=environ)
    base = registry.base_url(ID)
    served = registry.provider(ID).fill(environ, base).serve(Model("gpt-6.1-sol", ID), base)
    assert endpoint(served.base_url or "", load_wire(served.wire)) == url


async def test_a_key_has_the_header_of_azure_and_a_model_the_name_of_its_deployment() -> None:
    with ScriptedServer(["hello"]) as server:
        environ = {
            "AZURE_OPENAI_API_KEY": "a-key",
            "AZURE_OPENAI_BASE_URL": server.base_url("openai-responses"),
            "AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "gpt-6.1-sol=ours",
        }
        client = RoutingClient(ModelRegistry(environ=environ))
        assert (await complete(Model("gpt-6.1-sol", ID), "hi", client=client)).text == "hello"
        await client.close()
    (request,) = server.requests
    assert request.headers["api-key"] == "a-key"
    assert "authorization" not in request.headers
    assert request.body["model"] == "ours"
