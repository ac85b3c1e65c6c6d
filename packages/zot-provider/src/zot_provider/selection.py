"""`select`: the provider, model and credential that a person means."""

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

_NAMED = 5
"""Providers whose variables an error names, besides the user's own."""


@record
class Selection(Record):
    """A provider, one of its models, and the key and base URL to use. `model.id` is empty if only the server knows its
    models, `key` if there is no key, `base_url` for the provider's own base URL."""

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
    """Complete a partial selection; every argument may be empty. The providers are those of `registry`, else `known`
    with the keys and base URLs of `environ`.

    `model` may name its provider (`anthropic/claude-sonnet-4-5`). Without a provider, the provider is the first that is
    known to have the model (in the following order), else `default_provider`, else the first provider with a key, else,
    with a base URL, the OpenAI-compatible server. The key is `api_key`, else the provider's environment variable; the
    base URL likewise. With a base URL every model name is accepted as it is, because the server behind it has its own
    names. Names of a provider without a catalogue may contain slashes (`meta/llama`). Raises `UnknownName`, also for an
    unknown provider before a slash, and `MissingKey`.
    """
    registry = registry or ModelRegistry(known, environ=environ)
    provider, default_provider = registry.id_of(provider), registry.id_of(default_provider)
    head, slash, rest = model.partition("/")
    if slash:
        head = registry.id_of(head)
    if slash and head in _ids(registry) and provider in ("", head):
        provider, model, slash = head, rest, ""
    prefix = head if slash and not provider else ""
    try:
        found = registry.provider(provider) if provider else _choose(model, base_url, registry, default_provider)
    except MissingKey:
        if prefix and _resembles_provider(prefix, registry):  # a mistyped provider, not a part of a model's name
            raise _unknown_prefix(prefix, registry) from None
        raise
    key = api_key or environment_key(found, registry.environ)
    base_url = base_url or registry.base_url(found.id)
    chosen = registry.find(found.id, model) or Model(model, found.id, reasoning=True)
    if not model:
        chosen = registry.default(found.id)
    elif not base_url and found in PROVIDERS and registry.find(found.id, model) is None:
        if prefix and found.catalog:  # no model of a catalogue has a slash in its id
            raise _unknown_prefix(prefix, registry)
        chosen = resolve_model(found, model, strict=True)
    return Selection(found, chosen, key, base_url)


def environment_key(provider: Provider, environ: Mapping[str, str]) -> str:
    """Return the provider's key in the environment, or an empty string."""
    return environment_value(provider.key_env, environ)


def _ids(registry: ModelRegistry) -> list[str]:
    return [provider.id for provider in registry.providers]


def _unknown_prefix(head: str, registry: ModelRegistry) -> UnknownName:
    """Return the error for a model name with an unknown provider before its slash."""
    error = registry.unknown(head)
    error.parameter = "model"
    return error


def _resembles_provider(id: str, registry: ModelRegistry) -> bool:
    """Whether a name differs from the id of a provider by a letter or two."""
    import difflib  # noqa: PLC0415  needed only after a mistake

    return bool(difflib.get_close_matches(id, _ids(registry), n=1, cutoff=0.75))


def _choose(model: str, base_url: str, registry: ModelRegistry, default_provider: str) -> Provider:
    providers = registry.providers
    candidates = [each for each in providers if each.id == default_provider]
    candidates += [each for each in providers if not each.keyless and registry.ready(each.id)]
    if model:
        for each in [*candidates, *providers]:
            if registry.find(each.id, model) is not None:
                return each
    if candidates:
        return candidates[0]
    if base_url:
        return next(each for each in providers if each.base_url is None)
    own = [each for each in providers if each not in PROVIDERS]
    named = [each for each in [*PROVIDERS[:_NAMED], *own] if not each.keyless]
    names = dict.fromkeys(name for each in named for name in each.key_env[:1])
    free = [each.id for each in providers if each.keyless and each.base_url]
    error = MissingKey(
        f"no API key found: set {', '.join(names)} or the variable of another provider (docs/providers.md), "
        f"or choose a provider that needs no key ({' or '.join(free)})"
    )
    error.parameter = "provider"
    raise error
