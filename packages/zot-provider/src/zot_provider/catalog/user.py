"""`models.json`: the user's own providers and models, in the format of the Go zot and in that of similar programs.

```json
{"providers": {"corp": {"baseUrl": "https://llm.corp/v1", "api": "openai", "apiKey": "$CORP_KEY", "models": [
  {"id": "m1", "name": "M1", "contextWindow": 200000, "maxTokens": 8192, "reasoning": true,
   "priceInput": 1.0, "priceOutput": 2.0, "priceCacheRead": 0.1, "priceCacheWrite": 1.25}]}}}
```

A key that is the id of a known provider changes that provider and its models. Any other key adds a provider. Its API
key is `apiKey`, else in `CORP_API_KEY` (the id in capitals, `-` as `_`); with `"auth": "none"` it needs no key.
"""

import os
import re
from collections.abc import Mapping
from typing import Any

from zot_provider.catalog import find_model, unlisted_model
from zot_provider.catalog.json_node import JsonNode
from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.errors import ConfigError
from zot_provider.families import family
from zot_provider.json_text import describe
from zot_provider.model import Model, Price, Thinking
from zot_provider.providers import PROVIDERS, provider_id
from zot_provider.providers.spec import Provider, Route
from zot_provider.wire import WIRES
from zot_provider.wire.base import Quirks
from zot_provider.wire.reasoning import LEVELS, thinking

_WIRES = {
    name: wire
    for name, wire in (
        ("openai", "openai-chat"),
        ("openai-completions", "openai-chat"),
        ("openai-responses", "openai-responses"),
        ("anthropic", "anthropic-messages"),
        ("anthropic-messages", "anthropic-messages"),
        ("google", "gemini"),
        ("google-generative-ai", "gemini"),
        ("bedrock", "bedrock-converse"),
        ("bedrock-converse-stream", "bedrock-converse"),
    )
    if wire in WIRES
}
"""Wire by `api`."""

_YES_OR_NO = {True: True, False: False}

_COMPAT: dict[str, tuple[str, dict[Any, Any]]] = {
    "supportsDeveloperRole": ("system_role", {True: "developer", False: "system"}),
    "supportsReasoningEffort": ("reasoning_effort", _YES_OR_NO),
    "supportsUsageInStreaming": ("usage_chunk", _YES_OR_NO),
    "supportsPromptCacheKey": ("prompt_cache_key", _YES_OR_NO),
    "supportsCacheControlOnTools": ("tool_breakpoint", _YES_OR_NO),
    "allowEmptySignature": ("empty_signatures", _YES_OR_NO),
    "requiresReasoningContentOnAssistantMessages": ("reasoning_always", _YES_OR_NO),
    "requiresToolResultName": ("result_names", _YES_OR_NO),
    "cacheControlFormat": ("cache_control", {"anthropic": True}),
    "thinkingFormat": (
        "thinking",
        {
            "openai": "effort",
            "openrouter": "reasoning",
            "together": "reasoning-enabled",
            "deepseek": "thinking",
            "zai": "thinking-kept",
            "qwen": "enable_thinking",
        },
    ),
    "maxTokensField": (
        "max_tokens_field",
        {"max_tokens": "max_tokens", "max_completion_tokens": "max_completion_tokens"},
    ),
    "reasoningField": (
        "reasoning_field",
        {name: name for name in ("", "reasoning_content", "reasoning", "reasoning_text")},
    ),
}
"""The field of `Quirks` and the meaning of each value, by field of `compat`."""

_ROUTING = "openRouterRouting"
"""The field of `compat` with OpenRouter's choice of servers (https://openrouter.ai/docs/features/provider-routing)."""

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))|([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)")
"""`$NAME`, `${NAME}`, or a name in capitals with an underscore."""


def parse_user_models(
    value: Mapping[str, Any], path: str = "models.json", environ: Mapping[str, str] | None = None
) -> KnownProviders:
    """Return the built-in providers with the additions of `value`, the object in the file `path`. Headers may name
    variables of `environ`, by default the environment of the process.

    Raises `ConfigError` with the file and the place of a value of the wrong type.
    """
    known = KnownProviders(warnings=[])
    providers = {provider.id: provider for provider in PROVIDERS}
    root = JsonNode(value, path)
    listed = root.object("providers")
    for key in listed.value:
        place, id = listed.object(key), provider_id(key)
        environ = os.environ if environ is None else environ
        providers[id] = parse_provider(id, place, providers.get(id), environ, known)
    for name in ("$schema", "version"):
        root.skip(name)
    known.warnings += [f"{each}: unknown field, ignored" for each in root.unread()]
    known.providers = tuple(providers.values())
    return known


def parse_provider(
    id: str,
    place: JsonNode,
    before: Provider | None,
    environ: Mapping[str, str],
    known: KnownProviders,
    *,
    wire: str = "",
) -> Provider:
    """Return the provider `id` that the object at `place` describes, or what it makes of the provider `before`. Its
    models, its key and warnings are put into `known`.

    A `wire` is for a provider that does not speak HTTP: it needs no address. Raises `ConfigError`.
    """
    if not id or "/" in id or id.split() != [id]:  # PROVIDER/MODEL would be ambiguous
        raise ConfigError(f"{place.name}: a provider's name has no slash and no space")
    provider = _provider(id, place, before, environ, known, wire)
    models = {model.id: model for model in known.models.get(id, [])}
    for node in _model_nodes(place):
        model, quirks = _model(provider, node, known.warnings)
        models[model.id] = model
        if quirks is not None:
            provider = provider.replace(routes=(Route((_literal(model.id),), quirks=quirks), *provider.routes))
    known.models[id] = list(models.values())
    known.warnings += [f"{each}: unknown field, ignored" for each in place.unread()]
    return provider


def _provider(
    id: str, place: JsonNode, before: Provider | None, environ: Mapping[str, str], known: KnownProviders, own_wire: str
) -> Provider:
    base_url, wire = _base_url(place), place.choice("api", _WIRES)
    keyless = place.choice("auth", {"none": True, "api_key": False, "apiKey": False})
    if before is None or own_wire:
        if not base_url and not own_wire:
            raise place.error("baseUrl", "missing; it is the address of the server, e.g. http://HOST/v1")
        variable = "".join(character if character.isalnum() else "_" for character in id.upper()) + "_API_KEY"
        wire, base_url = own_wire or wire, "" if own_wire else base_url
        before = Provider(id=id, title=id, wire=wire or "openai-chat", base_url=base_url or None, key_env=(variable,))
    elif base_url:  # it counts more than a variable, which is for all programs
        before = before.at(base_url).replace(base_url_env=())
    if wire is not None and wire != before.wire:
        before = before.replace(wire=wire, quirks=Quirks(), routes=())
    if keyless:
        before = before.replace(key_env=(), account="")
    before = _with_key(before, place, known)
    if place.boolean("authHeader"):
        before = before.replace(scheme="bearer")
    if "discover" in place:
        known.discover[id] = place.boolean("discover")
    headers = {name.lower(): _header(place, name, text, environ) for name, text in place.texts("headers").items()}

    def changed(quirks: Quirks, warnings: list[str]) -> Quirks:
        quirks = _quirks(quirks, place.object("compat"), warnings)
        return quirks.replace(headers=tuple((dict(quirks.headers) | headers).items()))

    routes = tuple(each.replace(quirks=each.quirks and changed(each.quirks, [])) for each in before.routes)
    title = place.text("name") or before.title
    return before.replace(title=title, quirks=changed(before.quirks, known.warnings), routes=routes)


def _base_url(place: JsonNode) -> str:
    base_url = place.text("baseUrl")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise place.error("baseUrl", f"must begin with http:// or https://, got {base_url!r}")
    return base_url


def _with_key(provider: Provider, place: JsonNode, known: KnownProviders) -> Provider:
    """Return the provider with the variable that `apiKey` names; a key itself is put into `known`."""
    key = place.text("apiKey").strip()
    variable = _VARIABLE.fullmatch(key)
    if key.startswith("!"):
        raise place.error("apiKey", "no command is run for a key; name a variable, as in $NAME")
    if variable is not None:
        return provider.replace(key_env=(variable[1] or variable[2] or variable[3],))
    if key:
        known.keys[provider.id] = key
    return provider


def _header(place: JsonNode, name: str, text: str, environ: Mapping[str, str]) -> str:
    node = place.object("headers")
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise node.error(name, "is not the name of a header")
    variable = _VARIABLE.fullmatch(text) if text.startswith("$") else None
    if variable is not None:
        text = environ.get(variable[1] or variable[2], "")
    if not text.isascii() or not text.isprintable():
        raise node.error(name, "a header holds printable ASCII")
    return text


def _quirks(quirks: Quirks, place: JsonNode, warnings: list[str]) -> Quirks:
    for key, found in place.value.items():
        if key == _ROUTING:
            quirks = quirks.replace(body=(*quirks.body, ("provider", place.object(key).value)))
            continue
        if key not in _COMPAT:
            warnings.append(f"{place.path(key)}: unknown field, ignored")
            continue
        name, meanings = _COMPAT[key]
        if not isinstance(found, bool | str) or found not in meanings:
            expected = " or ".join(str(each).lower() if each is not False else "false" for each in meanings)
            raise place.error(key, f"expected {expected}, got {describe(found)}")
        quirks = quirks.replace(**{name: meanings[found]})
    return quirks


def _model_nodes(place: JsonNode) -> list[JsonNode]:
    """Return the models of a provider, and the overrides as models."""
    overrides = place.object("modelOverrides")
    changed = [JsonNode({"id": id, **overrides.object(id).value}, overrides.path(id)) for id in overrides.value]
    return place.objects("models") + changed


def _model(provider: Provider, place: JsonNode, warnings: list[str]) -> tuple[Model, Quirks | None]:
    """Return a model, and the quirks of its provider if they differ for it. Fields that are not given come from the
    catalogue, else from the family."""
    id = place.text("id")
    if not id:
        raise place.error("id", "missing")
    known = find_model(provider, id)
    if known is None:
        known = unlisted_model(id, provider).replace(name=id)
        known = known.replace(reasoning=known.reasoning and family(id) is not None)
    reasoning = place.boolean("reasoning") if "reasoning" in place else known.reasoning
    kinds = place.choices("input", ("text", "image"))
    made = known.replace(
        name=place.text("name") or known.name,
        context_window=int(place.number("contextWindow")) or known.context_window,
        max_output=int(place.number("maxTokens")) or known.max_output,
        reasoning=reasoning,
        images="image" in kinds if kinds else known.images,
        price=_price(place) or known.price,
        wire=place.choice("api", _WIRES) or known.wire,
        base_url=_base_url(place) or known.base_url,
    )
    levels = _levels(place, "reasoningLevelMap") | _levels(place, "thinkingLevelMap")
    if levels:
        made = made.replace(reasoning=True)
        made = made.replace(thinking=(thinking(made) or Thinking()).replace(levels=levels))
    compat = place.object("compat")
    quirks = _quirks(provider.quirks, compat, warnings) if compat.value else None
    warnings += [f"{each}: unknown field, ignored" for each in place.unread()]
    return made, quirks


def _price(place: JsonNode) -> Price | None:
    """Return the price: in fields of the model, or in `cost`. None if there is no price.

    Cached tokens without a price of their own cost what other input costs.
    """
    cost = place.object("cost")
    names = [
        (cost, "input", "output", "cacheRead", "cacheWrite"),
        (place, "priceInput", "priceOutput", "priceCacheRead", "priceCacheWrite"),
    ]
    price = None
    for node, input, output, read, write in names:
        amounts = {name: node.number(name) for name in (input, output, read, write)}
        if input in node or output in node:
            base = amounts[input]
            price = Price(
                base,
                amounts[output],
                amounts[read] if read in node else base,
                amounts[write] if write in node else base,
            )
    return price


def _levels(place: JsonNode, key: str) -> dict[str, str | None]:
    """Return the words for reasoning levels; None for a level that does not exist."""
    node, names = place.object(key), {level: level for level in LEVELS} | {"minimal": "minimum", "none": "off"}
    found: dict[str, str | None] = {}
    for name in node.value:
        if name not in names:
            raise node.error(name, f"expected a level: {', '.join(LEVELS)}")
        found[names[name]] = None if node.value[name] is None else node.text(name)
    return found


def _literal(id: str) -> str:
    """Return the pattern of `Route.models` that only this id matches."""
    return re.sub(r"([*?[])", r"[\1]", id)
