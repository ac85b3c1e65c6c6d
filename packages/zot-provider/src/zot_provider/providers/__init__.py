"""The table of providers. To add one, put a module with its `PROVIDER` in this folder and its name in `_MODULES`."""

from importlib import import_module

from zot_provider.providers.spec import Provider

_MODULES = (
    "anthropic",
    "openai",
    "openai_responses",
    "ollama",
    "local",
    "google",
    "google_vertex",
    "amazon_bedrock",
)
"""The first provider with a key is the default, so the order matters."""

PROVIDERS: tuple[Provider, ...] = tuple(import_module(f"{__name__}.{module}").PROVIDER for module in _MODULES)
