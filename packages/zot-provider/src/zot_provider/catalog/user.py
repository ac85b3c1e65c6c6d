"""The user's own vendors and models: `models.json`, in the form of the Go zot.

```json
{"providers": {"corp": {"baseUrl": "https://llm.corp/v1", "api": "openai", "models": [
  {"id": "m1", "name": "M1", "contextWindow": 200000, "maxTokens": 8192, "reasoning": true,
   "priceInput": 1.0, "priceOutput": 2.0, "priceCacheRead": 0.1, "priceCacheWrite": 1.25}]}}}
```

A key that is the id of a vendor zot knows changes that vendor's address, and changes or adds to its models; any other
key is a new vendor, with the key in `CORP_API_KEY` (the id in capitals, `-` as `_`), or none with `"auth": "none"`.
"""

from collections.abc import Mapping
from typing import Any

from zot_provider.catalog import find_model
from zot_provider.errors import ConfigError
from zot_provider.json_text import shown
from zot_provider.model import Model, Price
from zot_provider.record import Record, field, record
from zot_provider.vendors import VENDORS
from zot_provider.vendors.spec import Vendor
from zot_provider.wire.base import Quirks

_WIRES = {
    "openai": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic-messages",
    "anthropic-messages": "anthropic-messages",
}
"""`api` to wire."""


@record
class Known(Record):
    """Vendors and the models the user added to them, by vendor id."""

    vendors: tuple[Vendor, ...] = VENDORS
    models: dict[str, list[Model]] = field(default_factory=dict)


def parse_user_models(value: Mapping[str, Any], path: str = "models.json") -> Known:
    """The built-in vendors with what `value`, the object in the file `path`, adds.

    Unknown fields are left alone. Raises `ConfigError` naming the file and the place of what has the wrong shape.
    """
    vendors = {vendor.id: vendor for vendor in VENDORS}
    models: dict[str, list[Model]] = {}
    providers = _Place(value, path).object("providers")
    for id in providers.value:
        place = providers.object(id)
        if not id or "/" in id or id.split() != [id]:  # it could not be told from a model's
            raise ConfigError(f"{place.name}: a provider's name has no slash and no space")
        vendor = _vendor(id, place, vendors.get(id))
        vendors[id] = vendor
        models[id] = [_model(vendor, each) for each in place.objects("models")]
    return Known(tuple(vendors.values()), models)


def _vendor(id: str, place: "_Place", known: Vendor | None) -> Vendor:
    base_url, api = place.text("baseUrl"), place.text("api")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"{place.name}.baseUrl: must begin with http:// or https://, got {base_url!r}")
    if api and api not in _WIRES:
        raise ConfigError(f"{place.name}.api: expected one of {', '.join(_WIRES)}, got {api!r}")
    keyless = place.text("auth") == "none"
    if known is not None:
        changed = known.replace(key_env=()) if keyless else known
        if base_url:  # what the user wrote down for zot is meant, rather than a variable for every program
            changed = changed.replace(base_url=base_url, base_url_env=())
        wire = _WIRES.get(api, known.wire)
        return changed if wire == known.wire else changed.replace(wire=wire, quirks=Quirks())
    if not base_url:
        raise ConfigError(f"{place.name}.baseUrl: missing; it is the address of the server, e.g. http://HOST/v1")
    variable = "".join(character if character.isalnum() else "_" for character in id.upper()) + "_API_KEY"
    return Vendor(
        id=id, title=id, wire=_WIRES[api or "openai"], base_url=base_url, key_env=() if keyless else (variable,)
    )


def _model(vendor: Vendor, place: "_Place") -> Model:
    """A model; one that the catalogue knows keeps what is not said."""
    id = place.text("id")
    if not id:
        raise ConfigError(f"{place.name}.id: missing")
    known = find_model(vendor, id) or Model(id, vendor.id, name=id)
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
        reasoning=place.truth("reasoning") if "reasoning" in place.value else known.reasoning,
        price=price,
    )


class _Place:
    """An object in the file, and the path that leads to it."""

    def __init__(self, value: Mapping[str, Any], name: str) -> None:
        self.value = value
        self.name = name

    def object(self, key: str) -> "_Place":
        return _Place(self._get(key, dict, "an object", {}), self._path(key))

    def objects(self, key: str) -> "list[_Place]":
        places = []
        for index, item in enumerate(self._get(key, list, "a list", [])):
            name = f"{self._path(key)}[{index}]"
            if not isinstance(item, dict):
                raise ConfigError(f"{name}: expected an object, got {shown(item)}")
            places.append(_Place(item, name))
        return places

    def text(self, key: str) -> str:
        found: str = self._get(key, str, "text", "")
        return found

    def truth(self, key: str) -> bool:
        found: bool = self._get(key, bool, "true or false", False)
        return found

    def number(self, key: str) -> float:
        found = self.value.get(key, 0)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < 1e15:
            raise ConfigError(f"{self._path(key)}: expected a number from 0, got {shown(found)}")
        return found

    def _get(self, key: str, type_: type, expected: str, default: Any) -> Any:
        found = self.value.get(key, default)
        if not isinstance(found, type_):
            raise ConfigError(f"{self._path(key)}: expected {expected}, got {shown(found)}")
        return found

    def _path(self, key: str) -> str:
        key = key if key.isprintable() else repr(key)
        return f"{self.name}: {key}" if self.name.endswith(".json") else f"{self.name}.{key}"
