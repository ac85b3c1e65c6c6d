"""OpenAI: its API, and the plans of ChatGPT."""

from zot_provider.providers.sign_in import Callback, SignIn
from zot_provider.providers.spec import Provider, Route
from zot_provider.wire.base import Quirks

_URL = "https://api.openai.com/v1"
_RESPONSES = Quirks(prompt_cache_key=True, session_header="session-id", grammar_models=("gpt-5", "gpt-6"))
_CHAT = Quirks(max_tokens_field="max_completion_tokens", prompt_cache_key=True)
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
        key_of="openai",
        note="Speaks Responses at any base URL.",
    ),
    Provider(
        id="openai-codex",
        title="ChatGPT plan",
        wire="openai-responses",
        base_url=_URL,
        default_model="gpt-6.1-sol",
        catalog="openai-codex",
        quirks=_RESPONSES.replace(refused=("max_output_tokens", "temperature")),
        account="chatgpt",
        # "Sign in with ChatGPT", which OpenAI offers to open-source programs; each sign-in gets a client id of its own.
        sign_in=SignIn(
            title="a ChatGPT plan",
            flow="browser",
            client_id="dynamic_agent_client",
            issues_client_id=True,
            authorize_url="https://auth.openai.com/api/accounts/authorize",
            token_url="https://auth.openai.com/api/accounts/oauth/token",
            scope="openid profile email offline_access resource.invoke chatgpt.tokens.use.direct",
            required_scope="chatgpt.tokens.use.direct",
            parameters={"agent_name_hint": "zot", "ext_agent_host_id": "urn:uuid:{uuid}", "resource": _URL},
            callback=Callback("127.0.0.1", (1455,), "/auth/callback"),
            nonce=True,
            margin=180.0,
        ),
    ),
)
