"""The OpenAI vendor record, over the Responses API: the same account and models as `openai.py`, another wire."""

from zot_provider.vendors import openai
from zot_provider.vendors.spec import Vendor
from zot_provider.wire.base import Quirks

VENDOR = Vendor(
    id="openai-responses",
    title="OpenAI (Responses)",
    wire="openai-responses",
    base_url=openai.VENDOR.base_url,
    key_env=openai.VENDOR.key_env,
    base_url_env=openai.VENDOR.base_url_env,
    default_model="gpt-5.4",
    catalog=openai.VENDOR.catalog,
    quirks=Quirks(max_tokens_field="max_output_tokens", reasoning_field="", prompt_cache_key=True),
)
