"""Anthropic."""

from zot_provider.providers.spec import KeyVariable, Provider

PROVIDERS = (
    Provider(
        id="anthropic",
        title="Anthropic",
        wire="anthropic-messages",
        base_url="https://api.anthropic.com",
        # In the order of Anthropic's own SDK.
        key_env=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        key_variables=(KeyVariable("ANTHROPIC_AUTH_TOKEN", scheme="bearer"),),
        key_prefixes=("sk-ant-",),
        base_url_env=("ANTHROPIC_BASE_URL",),
        default_model="claude-sonnet-4-6",
        catalog="anthropic",
        aliases=("anthropic-messages",),
    ),
)
