"""Companies that serve the models they make."""

from zot_provider.providers.sign_in import KeyExchange, SignIn
from zot_provider.providers.spec import Provider
from zot_provider.wire.base import Quirks

_MISTRAL = Quirks(
    call_id_length=9,
    result_names=True,
    thinking_parts=True,
    prompt_cache_key=True,
    session_header="x-affinity",
)
_ZAI = Quirks(thinking="thinking-kept", body=(("tool_stream", True),))
"""Without `tool_stream` the arguments of a call arrive in one piece."""
_XIAOMI = Quirks(max_tokens_field="max_completion_tokens", thinking="thinking", reasoning_always=True)
_QWEN = Quirks(thinking="enable_thinking")


def _xiaomi_plan(id: str, place: str) -> Provider:
    return Provider(
        id=id,
        title=f"Xiaomi MiMo token plan ({place})",
        wire="openai-chat",
        base_url=f"https://{id.removeprefix('xiaomi-')}.xiaomimimo.com/v1",
        key_env=(f"{id.replace('-', '_').upper()}_API_KEY",),
        default_model="mimo-v2.6-pro",
        catalog="xiaomi-token-plan",
        quirks=_XIAOMI,
    )


PROVIDERS = (
    Provider(
        id="deepseek",
        title="DeepSeek",
        wire="openai-chat",
        base_url="https://api.deepseek.com",
        key_env=("DEEPSEEK_API_KEY",),
        default_model="deepseek-v4-pro",
        catalog="deepseek",
        quirks=Quirks(thinking="thinking", reasoning_always=True),
        aliases=("deepseek-chat",),
    ),
    Provider(
        id="xai",
        title="xAI",
        wire="openai-responses",
        base_url="https://api.x.ai/v1",
        key_env=("XAI_API_KEY",),
        key_prefixes=("xai-",),
        default_model="grok-4.7",
        catalog="xai",
        quirks=Quirks(prompt_cache_key=True, session_header="x-grok-conv-id"),
        sign_in=SignIn(
            title="a Grok plan",
            flow="device",
            client_id="b1a00492-073a-47ea-816f-4c329264a828",
            device_url="https://auth.x.ai/oauth2/device/code",
            token_url="https://auth.x.ai/oauth2/token",
            scope="openid profile email offline_access grok-cli:access api:access",
            margin=300.0,
            terms="xAI documents this sign-in for its own command line only, and refuses programs that it has not "
            "listed. zot uses the client id of that command line. Check the terms of xAI before you continue.",
        ),
    ),
    Provider(
        id="mistral",
        title="Mistral",
        wire="openai-chat",
        base_url="https://api.mistral.ai/v1",
        key_env=("MISTRAL_API_KEY",),
        default_model="devstral-medium-latest",
        catalog="mistral",
        quirks=_MISTRAL,
    ),
    Provider(
        id="zai",
        title="Z.ai coding plan",
        wire="openai-chat",
        base_url="https://api.z.ai/api/coding/paas/v4",
        key_env=("ZAI_API_KEY",),
        default_model="glm-5.3",
        catalog="zai",
        quirks=_ZAI,
    ),
    Provider(
        id="zai-coding-cn",
        title="Zhipu coding plan (China)",
        wire="openai-chat",
        base_url="https://open.bigmodel.cn/api/coding/paas/v4",
        key_env=("ZAI_CODING_CN_API_KEY", "ZHIPU_API_KEY"),
        default_model="glm-5.3",
        catalog="zai",
        quirks=_ZAI,
    ),
    Provider(
        id="minimax",
        title="MiniMax",
        wire="anthropic-messages",
        base_url="https://api.minimax.io/anthropic",
        key_env=("MINIMAX_API_KEY",),
        default_model="MiniMax-M3",
        catalog="minimax",
        scheme="bearer",
    ),
    Provider(
        id="minimax-cn",
        title="MiniMax (China)",
        wire="anthropic-messages",
        base_url="https://api.minimaxi.com/anthropic",
        key_env=("MINIMAX_CN_API_KEY",),
        default_model="MiniMax-M3",
        catalog="minimax",
        scheme="bearer",
    ),
    Provider(
        id="xiaomi",
        title="Xiaomi MiMo",
        wire="openai-chat",
        base_url="https://api.xiaomimimo.com/v1",
        key_env=("XIAOMI_API_KEY",),
        default_model="mimo-v2.6-pro",
        catalog="xiaomi",
        quirks=_XIAOMI,
    ),
    _xiaomi_plan("xiaomi-token-plan-cn", "China"),
    _xiaomi_plan("xiaomi-token-plan-ams", "Amsterdam"),
    _xiaomi_plan("xiaomi-token-plan-sgp", "Singapore"),
    Provider(
        id="meta",
        title="Meta",
        wire="openai-responses",
        base_url="https://api.meta.ai/v1",
        key_env=("META_API_KEY",),
        default_model="muse-spark-1.3",
        catalog="meta",
        quirks=Quirks(prompt_cache_key=True),
        sign_in=SignIn(
            title="a Meta account",
            flow="device",
            client_id="1031625952748946",
            device_url="https://auth.meta.com/oidc/device/authorization/",
            token_url="https://auth.meta.com/oidc/device/token/",
            exchange=KeyExchange(
                "https://api.meta.ai/muse-code/key",
                method="POST",
                headers={"x-api-version": "1.0.0", "content-type": "application/json"},
                key_field="api_key",
                lifetime=82_800.0,
            ),
            terms="Meta documents this sign-in for its own programs only. zot uses the client id of one of them, and "
            "Meta may refuse that. Check the terms of Meta before you continue.",
        ),
    ),
    Provider(
        id="qwen-token-plan",
        title="Qwen token plan",
        wire="openai-chat",
        base_url="https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1",
        key_env=("QWEN_TOKEN_PLAN_API_KEY",),
        default_model="qwen3.8-max",
        catalog="qwen-token-plan",
        quirks=_QWEN,
    ),
    Provider(
        id="qwen-token-plan-cn",
        title="Qwen token plan (China)",
        wire="openai-chat",
        base_url="https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1",
        key_env=("QWEN_TOKEN_PLAN_CN_API_KEY",),
        default_model="qwen3.8-max",
        catalog="qwen-token-plan",
        quirks=_QWEN,
    ),
    Provider(
        id="ant-ling",
        title="Ant Ling",
        wire="openai-chat",
        base_url="https://api.ant-ling.com/v1",
        key_env=("ANT_LING_API_KEY",),
        default_model="Ring-2.6-1T",
        quirks=Quirks(thinking="reasoning"),
    ),
)
