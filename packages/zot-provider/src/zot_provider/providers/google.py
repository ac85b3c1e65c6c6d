"""The provider record of Google's Gemini API."""

from zot_provider.providers.spec import Provider

PROVIDER = Provider(
    id="google",
    title="Google Gemini",
    wire="gemini",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    key_prefixes=("AIza",),
)
