"""`models.json`: the user's own providers and models, in the format of the Go zot.

```json
{"providers": {"corp": {"baseUrl": "https://llm.corp/v1", "api": "openai", "models": [
  {"id": "m1", "name": "M1", "contextWindow": 200000, "maxTokens": 8192, "reasoning": true,
   "priceInput": 1.0, "priceOutput": 2.0, "priceCacheRead": 0.1, "priceCacheWrite": 1.25}]}}}
```

A key that is the id of a known provider changes the address and the models of that provider. Any other key adds a
provider. Its API key is in `CORP_API_KEY` (the id in capitals, `-` as `_`); with `"auth": "none"` it needs no key.
"""

from collections.abc import Mapping
from typing import Any

from zot_provider.catalog import find_model
from zot_provider.errors import ConfigError
from zot_provider.json_text import describe
from zot_provider.model import Model, Price
from zot_provider.providers import PROVIDERS, provider_id
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, field, record
from zot_provider.wire.base import Quirks

_WIRES = {
    "openai": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic-messages",
    "anthropic-messages": "anthropic-messages",
}
"""Wire by `api`."""


@record
class KnownProviders(Record):
    """The providers, and the models that the user added to them, by provider id."""

    providers: tuple[Provider, ...] = PROVIDERS
    models: dict[str, list[Model]] = field(default_factory=dict)


def parse_user_models(value: Mapping[str, Any], path: str = "models.json") -> KnownProviders:
    """Return the built-in providers with the additions of `value`, the object in the file `path`.

    Unknown fields are ignored. Raises `ConfigError` with the file and the place of a value of the wrong type.
    """
    providers = {provider.id: provider for provider in PROVIDERS}
    models: dict[str, list[Model]] = {}
    listed = _Node(value, path).object("providers")
    for key in listed.value:
        place, id = listed.object(key), provider_id(key)
        if not id or "/" in id or id.split() != [id]:  # PROVIDER/MODEL would be ambiguous
            raise ConfigError(f"{place.name}: a provider's name has no slash and no space")
        provider = _provider(id, place, providers.get(id))
        providers[id] = provider
        models[id] = [_model(provider, each) for each in place.objects("models")]
    return KnownProviders(tuple(providers.values()), models)


def _provider(id: str, place: "_Node", known: Provider | None) -> Provider:
    base_url, api = place.text("baseUrl"), place.text("api")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"{place.name}.baseUrl: must begin with http:// or https://, got {base_url!r}")
    if api and api not in _WIRES:
        raise ConfigError(f"{place.name}.api: expected one of {', '.join(_WIRES)}, got {api!r}")
    keyless = place.text("auth") == "none"
    if known is not None:
        changed = known.replace(key_env=(), account="") if keyless else known
        if base_url:  # it counts more than a variable, which is for all programs
            changed = changed.at(base_url).replace(base_url_env=())
        wire = _WIRES.get(api, changed.wire)
        return changed if wire == changed.wire else changed.replace(wire=wire, quirks=Quirks(), routes=())
    if not base_url:
        raise ConfigError(f"{place.name}.baseUrl: missing; it is the address of the server, e.g. http://HOST/v1")
    variable = "".join(character if character.isalnum() else "_" for character in id.upper()) + "_API_KEY"
    return Provider(
        id=id, title=id, wire=_WIRES[api or "openai"], base_url=base_url, key_env=() if keyless else (variable,)
    )


def _model(provider: Provider, place: "_Node") -> Model:
    """Return a model; fields that are not given are those of the catalogue."""
    id = place.text("id")
    if not id:
        raise ConfigError(f"{place.name}.id: missing")
    known = find_model(provider, id) or Model(id, provider.id, name=id)
    price = known.price
    if "priceInput" in place.value or "priceOutput" in place.value:
        input = place.number("priceInput")
        cached = place.number("priceCacheRead") if "priceCacheRead" in place.value else input
        written = place.number("priceCacheWrite") if "priceCacheWrite" in place.value else input
        price = Price(input, place.number("priceOutput"), cached, written)
    return known.replace(
        name=place.text("name") or known.name,
        context_window=int(place.number("contextWindow")) or known.context_window,
        max_output=int(place.number("maxTokens")) or known.max_output,
        reasoning=place.boolean("reasoning") if "reasoning" in place.value else known.reasoning,
        price=price,
    )


class _Node:
    """An object in the file, and its path."""

    def __init__(self, value: Mapping[str, Any], name: str) -> None:
        self.value = value
        self.name = name

    def object(self, key: str) -> "_Node":
        return _Node(self._get(key, dict, "an object", {}), self._path(key))

    def objects(self, key: str) -> "list[_Node]":
        places = []
        for index, item in enumerate(self._get(key, list, "a list", [])):
            name = f"{self._path(key)}[{index}]"
            if not isinstance(item, dict):
                raise ConfigError(f"{name}: expected an object, got {describe(item)}")
            places.append(_Node(item, name))
        return places

    def text(self, key: str) -> str:
        found: str = self._get(key, str, "text", "")
        return found

    def boolean(self, key: str) -> bool:
        found: bool = self._get(key, bool, "true or false", False)
        return found

    def number(self, key: str) -> float:
        found = self.value.get(key, 0)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < 1e15:
            raise ConfigError(f"{self._path(key)}: expected a number from 0, got {describe(found)}")
        return found

    def _get(self, key: str, type_: type, expected: str, default: Any) -> Any:
        found = self.value.get(key, default)
        if not isinstance(found, type_):
            raise ConfigError(f"{self._path(key)}: expected {expected}, got {describe(found)}")
        return found

    def _path(self, key: str) -> str:
        key = key if key.isprintable() else repr(key)
        return f"{self.name}: {key}" if self.name.endswith(".json") else f"{self.name}.{key}"
