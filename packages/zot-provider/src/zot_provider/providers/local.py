"""The provider record for an OpenAI-compatible server that the user names, or for a model inside the process.

It has no address, key or models. The address is given when a client is opened.
"""

from zot_provider.providers.spec import Provider

PROVIDER = Provider(
    id="local",
    title="OpenAI-compatible server",
    wire="openai-chat",
    base_url=None,
)
