"""Google: the Gemini API and Vertex AI."""

from zot_provider.providers.spec import Provider

PROVIDERS = (
    Provider(
        id="google",
        title="Google Gemini",
        wire="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        key_prefixes=("AIza",),
        base_url_env=("GOOGLE_GEMINI_BASE_URL",),
        base_path="/v1beta",
        default_model="gemini-4-argon",
        catalog="google",
        aliases=("gemini",),
    ),
    Provider(
        id="google-vertex",
        title="Google Vertex AI",
        wire="gemini",
        base_url="https://aiplatform.googleapis.com/v1/publishers/google",
        key_env=("GOOGLE_CLOUD_API_KEY",),
        default_model="gemini-4-argon",
        listed=False,
        catalog="google-vertex",
        aliases=("vertex",),
        account="google-cloud",
        note="Without a key, it takes the application default credentials of Google Cloud, which the extra "
        "zot-agent[vertex] finds.",
    ),
)
