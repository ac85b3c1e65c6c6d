"""The provider record of Gemini on Vertex AI."""

from zot_provider.providers.spec import Provider

PROVIDER = Provider(
    id="google-vertex",
    title="Google Vertex AI",
    wire="gemini",
    base_url="https://aiplatform.googleapis.com/v1/publishers/google",
    key_env=("GOOGLE_CLOUD_API_KEY",),
    account="google-cloud",
)
"""Without a key, the application default credentials of Google Cloud are used, which know the address too."""
