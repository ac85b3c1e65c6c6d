"""`select`: the provider, model and credential that a person means."""

import re
from collections.abc import Mapping

from zot_provider.catalog import resolve_model, unlisted_model
from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.catalog.names import match_model
from zot_provider.credentials import environment_value
from zot_provider.errors import MissingKey, UnknownName
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record
from zot_provider.registry import ModelRegistry
from zot_provider.request import Reasoning

_NAMED = 5
"""Providers whose variables an error names, besides the user's own."""


class Selection(Record):
    """A provider, one of its models, and the key and base URL to use. `model.id` is empty if only the server knows its
    models, `key` if there is no key, `base_url` for the provider's own base URL. `reasoning` is the level at the end of
    the model's name, None for a name without a level."""

    provider: Provider
    model: Model
    key: str = ""
    base_url: str = ""
    reasoning: Reasoning | None = None


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
    """Complete a partial selection; every argument may be empty. The providers come from `registry`, else `known`
    with the keys and base URLs of `environ`.

    `model` may name its provider (`anthropic/claude-sonnet-5`), may be words of an id (`sonnet`), and may end with a
    reasoning level (`sonnet:high`); an exact id counts more. Without a provider, the provider is the first that has the
    model, in this order: `default_provider`, the providers with a key, the others; else the first of them; else, with a
    base URL, the OpenAI-compatible server. The key is `api_key`, else the provider's environment variable; the base URL
    likewise. With a base URL every model name is accepted, because the server behind it may have its own names; a name
    that is no id but whole words of one (`sonnet`) is looked up, unless another kind of server answers there
    (`Provider.elsewhere`). Names of a provider without a catalogue may contain slashes (`meta/llama`). Raises
    `UnknownName`, also for an unknown provider before a slash, and `MissingKey`.
    """
    registry = registry or ModelRegistry(known, environ=environ)
    provider, default_provider = registry.id_of(provider), registry.id_of(default_provider)
    model, level = registry.split_level(model, provider)
    head, slash, rest = model.partition("/")
    if slash:
        head = registry.id_of(head)
    if slash and registry.has(head) and provider in ("", head) and not _served_elsewhere(model, head, registry):
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
    chosen = registry.find(found.id, model) or unlisted_model(model, found)
    if not model:
        chosen = registry.default(found.id)
    elif not base_url and found in PROVIDERS and registry.find(found.id, model) is None:
        if prefix and found.catalog and not any("/" in each.id for each in registry.models(found.id)):
            raise _unknown_prefix(prefix, registry)
        chosen = resolve_model(found, model, strict=True)
    elif base_url and found.catalog and found.elsewhere is None and registry.find(found.id, model) is None:
        meant = resolve_model(found, model, strict=False)  # a proxy before the provider has the provider's names
        chosen = meant if _has_words(meant.id, model) else chosen
    return Selection(found, chosen, key, base_url, level)


def _has_words(id: str, words: str) -> bool:
    """Whether words are whole parts of an id, in their order, as `sonnet` in `claude-sonnet-4-5`."""
    return f"-{re.sub('[^a-z0-9]+', '-', words.lower())}-" in f"-{re.sub('[^a-z0-9]+', '-', id.lower())}-"


def environment_key(provider: Provider, environ: Mapping[str, str]) -> str:
    """Return the provider's key in the environment, or an empty string."""
    return environment_value(provider.key_env, environ)


def _served_elsewhere(model: str, head: str, registry: ModelRegistry) -> bool:
    """Whether the whole name, which begins with the provider `head`, is the id of a model of another provider with a
    key, and the provider `head` has none."""
    if registry.ready(head):
        return False
    return any(registry.find(id, model) is not None for id in _ids(registry) if id != head and registry.ready(id))


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
    candidates += [each for each in providers if environment_key(each, registry.environ) and not each.keyless]
    # The store of keys is not read if a provider with a key in the environment will do.
    if not candidates or (model and all(registry.find(each.id, model) is None for each in candidates)):
        candidates += [each for each in providers if not each.keyless and registry.ready(each.id)]
    if model:
        for each in [*candidates, *providers]:
            if registry.find(each.id, model) is not None:
                return each
        for each in candidates:
            if not base_url and match_model(model, {found.id: found for found in registry.models(each.id)}) is not None:
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
        f"run zot auth login, or choose a provider that needs no key ({', '.join(free)})"
    )
    error.parameter = "provider"
    raise error
