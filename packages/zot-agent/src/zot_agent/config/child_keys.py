"""The keys of providers that commands and extensions do not get."""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from zot_agent.config.settings import Settings
from zot_provider.providers.spec import Provider


class KeyVariables(Collection[str]):
    """The environment variables that may hold a key of these providers, whose records are read on first use."""

    def __init__(self, providers: Iterable[Provider]) -> None:
        self._providers = providers

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for provider in self._providers for name in provider.key_env)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def removed_variables(settings: Settings, providers: Iterable[Provider]) -> Collection[str]:
    """Return the environment variables that commands and extensions do not get: all that may hold a provider's key, or
    none if the settings keep them."""
    return frozenset() if settings.child_keys == "keep" else KeyVariables(providers)
