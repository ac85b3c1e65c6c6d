"""OpenAI: its API, and the plans of ChatGPT."""

from zot_provider.providers.spec import Provider, Route
from zot_provider.wire.base import Quirks

_URL = "https://api.openai.com/v1"
_RESPONSES = Quirks(prompt_cache_key=True, session_header="session-id")
_CHAT = Quirks(max_tokens_field="max_completion_tokens", reasoning_field="", prompt_cache_key=True)
"""Reasoning models refuse "max_tokens" with status 400; other models accept both names."""

PROVIDERS = (
    Provider(
        id="openai",
        title="OpenAI",
        wire="openai-responses",
        base_url=_URL,
        key_env=("OPENAI_API_KEY",),
        key_prefixes=("sk-",),
        base_url_env=("OPENAI_BASE_URL",),
        default_model="gpt-6.1-sol",
        catalog="openai",
        quirks=_RESPONSES,
        # From GPT-5.4 on, OpenAI's own Chat Completions refuses tools together with a reasoning effort; other servers
        # speak nothing else.
        elsewhere=Route(wire="openai-chat", quirks=_CHAT),
        note="With another base URL it speaks Chat Completions, as compatible servers do.",
    ),
    Provider(
        id="openai-responses",
        title="OpenAI (Responses)",
        wire="openai-responses",
        base_url=_URL,
        key_env=("OPENAI_API_KEY",),
        base_url_env=("OPENAI_BASE_URL",),
        default_model="gpt-6.1-sol",
        catalog="openai",
        quirks=_RESPONSES,
        note="Speaks Responses at any base URL.",
    ),
    Provider(
        id="openai-codex",
        title="ChatGPT plan",
        wire="openai-responses",
        base_url="https://chatgpt.com/backend-api/codex",
        default_model="gpt-6.1-sol",
        catalog="openai-codex",
        quirks=Quirks(
            prompt_cache_key=True,
            session_header="session-id",
            headers=(("originator", "zot"), ("openai-beta", "responses=experimental")),
            refused=("max_output_tokens", "temperature"),
            default_system="You are a helpful assistant.",
        ),
        account="chatgpt",
    ),
)
