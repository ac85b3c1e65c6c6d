"""The keys of providers that commands and extensions do not get."""

from collections.abc import Iterable

from zot_agent.config.settings import Settings
from zot_provider.providers.spec import Provider


def removed_variables(settings: Settings, providers: Iterable[Provider]) -> frozenset[str]:
    """Return the environment variables that commands and extensions do not get: all that may hold a provider's key, or
    none if the settings keep them."""
    if settings.child_keys == "keep":
        return frozenset()
    return frozenset(name for provider in providers for name in provider.key_env)
