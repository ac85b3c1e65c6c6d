"""The record of an OpenAI-compatible server that the user names, or of a model run inside the process.

Nothing is presumed of it: no address, no key, no models. The address comes with the request to open a client.
"""

from zot_provider.providers.spec import Provider

PROVIDER = Provider(
    id="local",
    title="OpenAI-compatible server",
    wire="openai-chat",
    base_url=None,
)
