"""The provider record of OpenAI over Chat Completions."""

from zot_provider.providers.spec import Provider
from zot_provider.wire.base import Quirks

PROVIDER = Provider(
    id="openai",
    title="OpenAI",
    wire="openai-chat",
    base_url="https://api.openai.com/v1",
    key_env=("OPENAI_API_KEY",),
    key_prefixes=("sk-",),
    base_url_env=("OPENAI_BASE_URL",),
    # Later models refuse a reasoning effort together with tools on this wire; use the Responses wire for them.
    default_model="gpt-5.1",
    catalog="openai",
    # Reasoning models refuse "max_tokens" with status 400; other models accept both names.
    quirks=Quirks(max_tokens_field="max_completion_tokens", reasoning_field="", prompt_cache_key=True),
)
