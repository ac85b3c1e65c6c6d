"""The catalogue: models of providers that are known without asking a server.

`data/` has one file for each catalogue name, written by `scripts/update_catalog.py` and never by hand. A file is read
when it is first needed, so that importing this module costs nothing. A model that is not in the file (because it is
newer, or is served by a local server) has the facts of its family and no price.
"""

import os
from collections.abc import Iterable
from functools import cache
from typing import Any

from zot_provider import families
from zot_provider.catalog.names import match_model, may_be_newer, without_date
from zot_provider.errors import UnknownName
from zot_provider.model import Model, Price, PriceTier
from zot_provider.providers.spec import Provider

__all__ = ["find_model", "in_catalog", "list_models", "match_model", "resolve_model", "unlisted_model"]

_DATA = os.path.join(os.path.dirname(__file__), "data")


def find_model(provider: Provider, id: str) -> Model | None:
    """Return the model with exactly this id in the provider's catalogue, None if it is not there.

    Limits are in tokens. `context_window` is the limit of a request, which is less than the advertised window if the
    provider reserves room for the answer. Prices are US dollars per million tokens; if a provider charges more for a
    long context, they are the prices of a short context.
    """
    row = _models(provider).get(id)
    return None if row is None else _model(provider, row)


def unlisted_model(id: str, provider: Provider) -> Model:
    """Return the model that no source describes, with what its family says (`zot_provider.families`). A server
    without keys is the user's own and sets its own limits."""
    return families.describe(id, provider.id, limits=not provider.keyless)


def list_models(provider: Provider) -> list[Model]:
    """Return all models of the provider's catalogue, sorted by id; empty for a provider without a catalogue."""
    return [_model(provider, row) for row in _models(provider).values()]


def in_catalog(provider: Provider, id: str) -> bool:
    """Whether the provider's catalogue has this id, or the same id without a date."""
    known = _models(provider)
    return id in known or without_date(id) in known


def resolve_model(provider: Provider, name: str, *, strict: bool) -> Model:
    """Return the model that a person means by `name`, as `match_model` finds it in the catalogue.

    Any other name becomes a model with the facts of its family. If `strict`, it must be a model that may be newer than
    the catalogue, else `UnknownName` with similar ids is raised. A provider without a complete catalogue accepts every
    name, strict or not. An empty name is always refused.
    """
    known = _models(provider)
    found = match_model(name, {model.id: model for model in list_models(provider)})
    if found is not None:
        return found
    complete = provider.catalog is not None and _read(provider.catalog)["complete"]
    if name and not (strict and complete and not may_be_newer(name, known)):
        return unlisted_model(name, provider)
    hint = "(give a full id)"
    if provider.catalog:
        date = _read(provider.catalog)["date"]
        hint = f"(give a full id; the catalogue of {provider.title} was made on {date})"
    error = UnknownName.among("model", name, [id for id in known if id.startswith(name)] or known, hint)
    error.parameter = "model"
    raise error


def _model(provider: Provider, row: dict[str, Any]) -> Model:
    price: dict[str, Any] | None = row.get("price")
    return Model(
        row["id"],
        provider.id,
        name=row.get("name", ""),
        context_window=row["context_window"],
        max_output=row.get("max_output", 0),
        reasoning=row.get("reasoning", False),
        images=row.get("images", False),
        price=None if price is None else _price(**price),
    )


def _price(tokens: tuple[float, float, float, float], tiers: Iterable[list[float]] = ()) -> Price:
    return Price(*tokens, tuple(PriceTier(int(above), *tier) for above, *tier in tiers))


def _models(provider: Provider) -> dict[str, dict[str, Any]]:
    """Return the rows of the provider's catalogue by id. They are shared: copy before changing."""
    if provider.catalog is None:
        return {}
    rows: dict[str, dict[str, Any]] = _read(provider.catalog)["models"]
    return rows


@cache
def _read(name: str) -> dict[str, Any]:
    """Read a data file, with its models by id."""
    import json  # noqa: PLC0415  not loaded before a model is looked up

    with open(os.path.join(_DATA, f"{name}.json"), encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data | {"models": {row["id"]: row for row in data["models"]}}
