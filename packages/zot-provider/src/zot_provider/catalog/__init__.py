"""The catalogue: models of providers that are known without asking a server.

`data/` has one file for each catalogue name, written by `scripts/update_catalog.py` and never by hand. A file is read
when it is first needed, so that importing this module costs nothing. A model that is not in the file (because it is
newer, or is served by a local server) is a `Model` with unknown limits and no price.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from zot_provider.errors import UnknownName
from zot_provider.model import Model, Price
from zot_provider.providers.spec import Provider

__all__ = ["find_model", "in_catalog", "list_models", "match_model", "resolve_model"]

_DATA = os.path.join(os.path.dirname(__file__), "data")


def find_model(provider: Provider, id: str) -> Model | None:
    """Return the model with exactly this id in the provider's catalogue, None if it is not there.

    Limits are in tokens. `context_window` is the limit of a request, which is less than the advertised window if the
    provider reserves room for the answer. Prices are US dollars per million tokens; if a provider charges more for a
    long context, they are the prices of a short context.
    """
    row = _models(provider).get(id)
    return None if row is None else _model(provider, row)


def list_models(provider: Provider) -> list[Model]:
    """Return all models of the provider's catalogue, sorted by id; empty for a provider without a catalogue."""
    return [_model(provider, row) for row in _models(provider).values()]


def in_catalog(provider: Provider, id: str) -> bool:
    """Whether the provider's catalogue has this id, or the same id without a date."""
    known = _models(provider)
    return id in known or _undated(id) in known


def resolve_model(provider: Provider, name: str, *, strict: bool) -> Model:
    """Return the model that a person means by `name`, as `match_model` finds it in the catalogue.

    Any other name becomes a model with unknown limits and price, unless `strict`: then it raises `UnknownName` with
    similar ids. A provider without a catalogue accepts every name, strict or not. An empty name is always refused.
    """
    known = _models(provider)
    found = match_model(name, {model.id: model for model in list_models(provider)})
    if found is not None:
        return found
    if name and not (strict and known):
        return Model(id=name, provider=provider.id, reasoning=True)
    hint = "(give a full id)"
    if provider.catalog:
        date = _read(provider.catalog)["date"]
        hint = f"(give a full id; the catalogue of {provider.title} is of {date})"
    error = UnknownName.among("model", name, [id for id in known if id.startswith(name)] or known, hint)
    error.parameter = "model"
    raise error


def match_model(name: str, models: Mapping[str, Model]) -> Model | None:
    """Return the model that a person means by `name`, or None. `models` maps ids to models.

    A name is, in this order: an id; a dated snapshot of an id ("gpt-5-2025-08-07"), which keeps its date and has the
    limits and price of the undated model; the beginning of the ids of a single model ("claude-haiku").
    """
    undated = _undated(name)
    if name in models:
        return models[name]
    if undated in models and not name.endswith("-latest"):
        return models[undated].replace(id=name)
    completed = _complete_id(name, [id for id in models if id.startswith(name)]) if name else None
    return models[completed] if completed else None


def _complete_id(name: str, candidates: list[str]) -> str | None:
    """Return the id to send for `name`, given the ids that begin with it; None unless they are all of one model.

    A model that differs from `name` only by its date wins over models with longer names.
    """
    ids = [id for id in candidates if _undated(id) == name] or candidates
    stems = {_undated(id) for id in ids}
    if len(stems) != 1:
        return None
    # The undated id, else "latest", else the newest date.
    return max(ids, key=lambda id: (id in stems, id.endswith("-latest"), id))


def _undated(id: str) -> str:
    """Return the id without a date ("-20250929", "-2024-11-20") or "-latest" at its end."""
    return re.sub(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$", "", id)


def _model(provider: Provider, row: dict[str, Any]) -> Model:
    price = row["price"]
    known = row | {"efforts": tuple(row["efforts"]), "price": None if price is None else Price(**price)}
    return Model(**known, provider=provider.id)


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
