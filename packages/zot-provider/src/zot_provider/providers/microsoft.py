"""Microsoft Azure."""

from zot_provider.providers.spec import Provider, Route, Variable
from zot_provider.wire.base import Quirks

PROVIDERS = (
    Provider(
        id="azure-openai-responses",
        title="Azure OpenAI",
        wire="openai-responses",
        base_url="https://{resource}.openai.azure.com/openai/v1",
        key_env=("AZURE_OPENAI_API_KEY",),
        base_url_env=("AZURE_OPENAI_BASE_URL",),
        base_path="/openai/v1",
        default_model="gpt-6.1-sol",
        catalog="azure",
        quirks=Quirks(prompt_cache_key=True, session_header="session-id", grammar_models=("gpt-5", "gpt-6")),
        aliases=("azure",),
        scheme="api-key",
        routes=(
            Route(("deepseek-*",), wire="openai-chat", quirks=Quirks(reasoning_always=True)),
            Route(("kimi-*", "llama-*", "mistral-*"), wire="openai-chat", quirks=Quirks()),
        ),
        variables=(Variable("resource", ("AZURE_OPENAI_RESOURCE_NAME",)),),
        query_env=(("api-version", "AZURE_OPENAI_API_VERSION"),),
        names_env="AZURE_OPENAI_DEPLOYMENT_NAME_MAP",
    ),
)
