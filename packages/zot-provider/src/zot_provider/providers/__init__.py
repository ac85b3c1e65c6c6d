"""The registry of providers. To add one: a file with its record beside this one, and a line in `PROVIDERS`."""

from zot_provider.errors import UnknownName
from zot_provider.providers import anthropic, local, ollama, openai, openai_responses
from zot_provider.providers.spec import Provider

PROVIDERS: tuple[Provider, ...] = (
    anthropic.PROVIDER,
    openai.PROVIDER,
    openai_responses.PROVIDER,
    ollama.PROVIDER,
    local.PROVIDER,
)


def find_provider(id: str) -> Provider:
    """The provider with this id; raises `UnknownName` with the nearest ids if there is none."""
    for provider in PROVIDERS:
        if provider.id == id:
            return provider
    raise UnknownName.among("provider", id, [provider.id for provider in PROVIDERS])
