"""The provider record of OpenAI over the Responses API, with the same account and models as `openai.py`."""

from zot_provider.providers import openai
from zot_provider.providers.spec import Provider
from zot_provider.wire.base import Quirks

PROVIDER = Provider(
    id="openai-responses",
    title="OpenAI (Responses)",
    wire="openai-responses",
    base_url=openai.PROVIDER.base_url,
    key_env=openai.PROVIDER.key_env,
    base_url_env=openai.PROVIDER.base_url_env,
    default_model="gpt-5.4",
    catalog=openai.PROVIDER.catalog,
    quirks=Quirks(max_tokens_field="max_output_tokens", reasoning_field="", prompt_cache_key=True),
)
