"""Anthropic."""

from zot_provider.providers.spec import Provider

PROVIDERS = (
    Provider(
        id="anthropic",
        title="Anthropic",
        wire="anthropic-messages",
        base_url="https://api.anthropic.com",
        # In the order of Anthropic's own SDK.
        key_env=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        key_schemes=(("ANTHROPIC_AUTH_TOKEN", "bearer"),),
        key_prefixes=("sk-ant-",),
        base_url_env=("ANTHROPIC_BASE_URL",),
        default_model="claude-opus-5-5",
        catalog="anthropic",
        aliases=("anthropic-messages",),
    ),
)
