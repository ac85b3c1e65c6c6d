"""Moonshot AI: the Kimi Code plan and the platform. Their keys are not interchangeable."""

from zot_provider.providers.sign_in import SignIn
from zot_provider.providers.spec import Provider, Route
from zot_provider.wire.base import Quirks

_PLATFORM = "https://api.moonshot.ai/v1"
_THINKING = Quirks(thinking="thinking", call_id_extra=".:")
"""Kimi's ids of calls have a dot and a colon (`functions.read:0`), by which its models know them."""
_EFFORT = Quirks(reasoning_always=True, call_id_extra=".:")
"""From K3 on, an effort is sent, and each answer of a conversation has its thinking."""
_ROUTES = (Route(("kimi-k2*", "kimi-for-coding*"), quirks=_THINKING),)


def _platform(id: str, title: str, base_url: str) -> Provider:
    return Provider(
        id=id,
        title=title,
        wire="openai-chat",
        base_url=base_url,
        key_env=("MOONSHOT_API_KEY",),
        default_model="kimi-k3",
        catalog="moonshotai",
        quirks=_EFFORT,
        routes=_ROUTES,
        aliases=("moonshot", "moonshot-ai") if base_url == _PLATFORM else (),
    )


PROVIDERS = (
    _platform("moonshotai", "Moonshot AI", _PLATFORM),
    _platform("moonshotai-cn", "Moonshot AI (China)", "https://api.moonshot.cn/v1"),
    Provider(
        id="kimi",
        title="Kimi Code",
        wire="openai-chat",
        base_url="https://api.kimi.com/coding/v1",
        key_env=("KIMI_API_KEY", "KIMI_CODING_API_KEY", "MOONSHOT_API_KEY"),
        key_urls=(("MOONSHOT_API_KEY", _PLATFORM),),
        key_prefixes=("sk-kimi-",),
        base_url_env=("KIMI_BASE_URL",),
        default_model="k3",
        catalog="kimi-coding",
        quirks=_EFFORT,
        routes=_ROUTES,
        aliases=("kimi-code", "kimi-coding"),
        sign_in=SignIn(
            title="a Kimi Code plan",
            flow="device",
            client_id="17e5f671-d194-4dfb-9706-5516cb48c098",
            device_url="https://auth.kimi.com/api/oauth/device_authorization",
            token_url="https://auth.kimi.com/api/oauth/token",
            margin=300.0,
            terms="Moonshot AI documents this sign-in for its own command line only. zot uses the client id of "
            "that, and Moonshot AI may refuse it. Check the terms of the plan before you continue.",
        ),
    ),
)
