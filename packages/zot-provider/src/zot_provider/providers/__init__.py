"""The table of providers. To add one, write its record into a module of this folder; `_MODULES` names the modules."""

from importlib import import_module

from zot_provider.providers.spec import Provider

_MODULES = (
    "anthropic",
    "openai",
    "vendors",
    "moonshot",
    "hosts",
    "gateways",
    "microsoft",
    "github",
    "google",
    "amazon",
    "local",
)
"""The first provider with a key is the default, so the order matters."""

PROVIDERS: tuple[Provider, ...] = tuple(
    provider for module in _MODULES for provider in import_module(f"{__name__}.{module}").PROVIDERS
)

_ALIASES = {alias: provider.id for provider in PROVIDERS for alias in provider.aliases}


def provider_id(name: str) -> str:
    """Return the id of the provider that has this name: an alias becomes the id, any other name stays as it is."""
    return _ALIASES.get(name, name)
