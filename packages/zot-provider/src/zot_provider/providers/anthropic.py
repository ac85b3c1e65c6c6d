"""The provider record of Anthropic."""

from zot_provider.providers.spec import Provider

PROVIDER = Provider(
    id="anthropic",
    title="Anthropic",
    wire="anthropic-messages",
    base_url="https://api.anthropic.com",
    key_env=("ANTHROPIC_API_KEY",),
    key_prefixes=("sk-ant-",),
    base_url_env=("ANTHROPIC_BASE_URL",),
    default_model="claude-sonnet-4-6",
    catalog="anthropic",
)
