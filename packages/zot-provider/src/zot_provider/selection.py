"""Which provider, model and credential a person means."""

from collections.abc import Mapping

from zot_provider.catalog import resolve_model
from zot_provider.catalog.user import KnownProviders
from zot_provider.credentials import environment_value
from zot_provider.errors import MissingKey, UnknownName
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, record
from zot_provider.registry import ModelRegistry


@record
class Selection(Record):
    """A provider, one of its models, the key to use and where to ask. `model.id` is empty where only the server knows
    its models; `key` is empty where there is none, `base_url` where the provider's own is meant."""

    provider: Provider
    model: Model
    key: str = ""
    base_url: str = ""


def select(
    provider: str = "",
    model: str = "",
    *,
    api_key: str = "",
    base_url: str = "",
    environ: Mapping[str, str] | None = None,
    known: KnownProviders | None = None,
    registry: ModelRegistry | None = None,
    default_provider: str = "",
) -> Selection:
    """Make sense of what was given; every argument may be empty. The providers are those of `registry`, else those that
    are `known`, with what `environ` says of them.

    `model` may name its provider (`anthropic/claude-sonnet-4-5`). Without a provider it is the one that is known to
    have the model (among several the order is that of what follows), else the `default_provider` one, else the first one with
    a key, else, if there is a base URL, any OpenAI-like server. The key is `api_key`, else the provider's environment
    variable, and so is the base URL. With a base URL every model name is taken as it is: a server behind one has its
    own names, and those of a provider without a catalogue may hold slashes (`meta/llama`). Raises `UnknownName`, also
    for a provider before a slash that nobody knows, and `MissingKey`.
    """
    registry = registry or ModelRegistry(known, environ=environ)
    head, slash, rest = model.partition("/")
    if slash and head in _ids(registry) and provider in ("", head):
        provider, model, slash = head, rest, ""
    prefix = head if slash and not provider else ""
    try:
        found = (
            registry.provider(provider) if provider else _choose_provider(model, base_url, registry, default_provider)
        )
    except MissingKey:
        if prefix and _resembles_provider(
            prefix, registry
        ):  # mistyped, rather than a model of a server that is yet to be named
            raise _unknown_prefix(prefix, registry) from None
        raise
    key = api_key or environment_key(found, registry.environ)
    base_url = base_url or registry.base_url(found.id)
    chosen = registry.find(found.id, model) or Model(model, found.id, reasoning=True)
    if not model:
        chosen = registry.default(found.id)
    elif not base_url and found in PROVIDERS and registry.find(found.id, model) is None:
        if prefix and found.catalog:  # no model of a catalogue has a slash in its name
            raise _unknown_prefix(prefix, registry)
        chosen = resolve_model(found, model, strict=True)
    return Selection(found, chosen, key, base_url)


def environment_key(provider: Provider, environ: Mapping[str, str]) -> str:
    """The provider's key in the environment, empty if there is none."""
    return environment_value(provider.key_env, environ)


def _ids(registry: ModelRegistry) -> list[str]:
    return [provider.id for provider in registry.providers]


def _unknown_prefix(head: str, registry: ModelRegistry) -> UnknownName:
    """The error for what stands before the slash in a model's name, and is no provider."""
    ids = _ids(registry)
    hint = "(zot --list-models tells what can be named)"
    if _resembles_provider(head, registry):
        return UnknownName.among("provider", head, ids, hint)
    return UnknownName(f"unknown provider {head!r}; known: {', '.join(ids)} {hint}")


def _resembles_provider(id: str, registry: ModelRegistry) -> bool:
    """Whether a name is that of a provider but for a letter or two."""
    import difflib  # noqa: PLC0415  only a mistake pays for it

    return bool(difflib.get_close_matches(id, _ids(registry), n=1, cutoff=0.75))


def _choose_provider(model: str, base_url: str, registry: ModelRegistry, default_provider: str) -> Provider:
    providers = registry.providers
    candidates = [each for each in providers if each.id == default_provider]
    candidates += [each for each in providers if each.key_env and registry.ready(each.id)]
    if model:
        for each in [*candidates, *providers]:
            if registry.find(each.id, model) is not None:
                return each
    if candidates:
        return candidates[0]
    if base_url:
        return next(each for each in providers if each.base_url is None)
    names = list(dict.fromkeys(name for each in providers for name in each.key_env))
    free = [each.id for each in providers if not each.key_env and each.base_url]
    raise MissingKey(
        f"no API key found: set {' or '.join(names)}, or name a server that needs none (--provider {' or '.join(free)})"
    )
