"""Gateways to models of many makers."""

from zot_provider.providers.sign_in import Callback, SignIn
from zot_provider.providers.spec import Provider, Route, Variable
from zot_provider.wire.base import Quirks

_OPENROUTER = Quirks(
    max_tokens_field="max_completion_tokens",
    thinking="reasoning",
    reasoning_field="reasoning",
    session_header="x-session-id",
    headers=(("x-title", "zot"),),
)

_OPENCODE_HEADERS = (("x-opencode-client", "zot"),)


def _opencode(id: str, title: str, path: str, default_model: str, key_of: str = "") -> Provider:
    base_url = f"https://opencode.ai/inference{path}"
    quirks = Quirks(session_header="x-opencode-session", headers=_OPENCODE_HEADERS)
    return Provider(
        id=id,
        title=title,
        wire="openai-chat",
        base_url=f"{base_url}/openai/v1",
        key_env=("OPENCODE_API_KEY",),
        default_model=default_model,
        catalog=id,
        quirks=quirks,
        key_of=key_of,
        routes=(
            Route(("gpt-*", "grok-*", "muse-*"), wire="openai-responses", quirks=quirks.replace(prompt_cache_key=True)),
            Route(
                ("claude-*", "minimax-*", "qwen*"),
                wire="anthropic-messages",
                base_url=f"{base_url}/anthropic",
                quirks=quirks.replace(empty_signatures=True),
            ),
            Route(("gemini-*",), wire="gemini", base_url=f"{base_url}/google/v1beta"),
            Route(("deepseek-*", "kimi-k3*"), quirks=quirks.replace(reasoning_always=True)),
        ),
    )


_ACCOUNT = Variable("account", ("CLOUDFLARE_ACCOUNT_ID",))
_WORKERS = Quirks(max_tokens_field="max_completion_tokens", session_header="x-session-affinity")
_GATEWAY = "https://gateway.ai.cloudflare.com/v1/{account}/{gateway}"

PROVIDERS = (
    Provider(
        id="openrouter",
        title="OpenRouter",
        wire="openai-chat",
        base_url="https://openrouter.ai/api/v1",
        key_env=("OPENROUTER_API_KEY",),
        key_prefixes=("sk-or-",),
        default_model="moonshotai/kimi-k3",
        catalog="openrouter",
        quirks=_OPENROUTER,
        sign_in=SignIn(
            title="an OpenRouter account, which creates a key",
            flow="browser",
            authorize_url="https://openrouter.ai/auth",
            token_url="https://openrouter.ai/api/v1/auth/keys",
            callback=Callback("localhost", path=""),
            yields_key=True,
        ),
        routes=(
            Route(("anthropic/*", "~anthropic/*"), quirks=_OPENROUTER.replace(cache_control=True)),
            Route(
                ("deepseek/*", "~deepseek/*"),
                quirks=_OPENROUTER.replace(reasoning_field="reasoning_content", reasoning_always=True),
            ),
        ),
    ),
    Provider(
        id="vercel-ai-gateway",
        title="Vercel AI Gateway",
        wire="anthropic-messages",
        base_url="https://ai-gateway.vercel.sh",
        key_env=("AI_GATEWAY_API_KEY",),
        default_model="zai/glm-5.3",
        catalog="vercel-ai-gateway",
        scheme="bearer",
        quirks=Quirks(empty_signatures=True),
    ),
    _opencode("opencode", "OpenCode Zen", "", "kimi-k3"),
    _opencode("opencode-go", "OpenCode Go", "/go", "kimi-k3.1-pro", key_of="opencode"),
    Provider(
        id="cloudflare-workers-ai",
        title="Cloudflare Workers AI",
        wire="openai-chat",
        base_url="https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1",
        key_env=("CLOUDFLARE_API_KEY",),
        default_model="@cf/zai-org/glm-5.3",
        catalog="cloudflare-workers-ai",
        quirks=_WORKERS,
        routes=(Route(("@cf/deepseek-ai/*",), quirks=_WORKERS.replace(thinking="thinking", reasoning_always=True)),),
        variables=(_ACCOUNT,),
    ),
    Provider(
        id="cloudflare-ai-gateway",
        title="Cloudflare AI Gateway",
        wire="openai-chat",
        base_url=f"{_GATEWAY}/compat",
        key_env=("CLOUDFLARE_API_KEY",),
        default_model="workers-ai/@cf/zai-org/glm-5.3",
        catalog="cloudflare-ai-gateway",
        scheme="cf-aig",
        quirks=Quirks(reasoning_effort=False, session_header="x-session-affinity"),
        routes=(
            Route(
                ("claude-*",),
                wire="anthropic-messages",
                base_url=f"{_GATEWAY}/anthropic",
                quirks=Quirks(session_header="x-session-affinity"),
            ),
            Route(
                ("gpt-*", "o1*", "o3*", "o4*"),
                wire="openai-responses",
                base_url=f"{_GATEWAY}/openai",
                quirks=Quirks(prompt_cache_key=True, session_header="x-session-affinity"),
            ),
        ),
        key_of="cloudflare-workers-ai",
        variables=(_ACCOUNT, Variable("gateway", ("CLOUDFLARE_GATEWAY_ID",))),
    ),
)
