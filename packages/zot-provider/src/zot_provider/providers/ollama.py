"""The provider record of Ollama on this machine."""

from zot_provider.providers.spec import Provider

PROVIDER = Provider(
    id="ollama",
    title="Ollama",
    wire="openai-chat",
    base_url="http://localhost:11434/v1",
)
