"""The catalogue: what is known of the providers' models before anybody asks a server.

One data file for each catalogue name stands in `data/`, written by `scripts/update_catalog.py` and never by hand. It is
read at the first question, so that importing this module costs nothing. What the file cannot know (a model newer than
its date, whatever a local server runs) is a `Model` with unknown limits and no price.
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
    """The model with exactly this id in the provider's catalogue, None if it is not there.

    Limits are in tokens; `context_window` is what a request may hold, which is less than the advertised window where
    the provider sets room for the answer apart. Prices are US dollars for a million tokens; where a provider charges
    more for a long context, they are those of a short one.
    """
    row = _models(provider).get(id)
    return None if row is None else _model(provider, row)


def list_models(provider: Provider) -> list[Model]:
    """All models of the provider's catalogue, sorted by id; empty for a provider without one."""
    return [_model(provider, row) for row in _models(provider).values()]


def in_catalog(provider: Provider, id: str) -> bool:
    """Whether the provider's catalogue has this id, or that of which it is a dated snapshot."""
    known = _models(provider)
    return id in known or _undated(id) in known


def resolve_model(provider: Provider, name: str, *, strict: bool) -> Model:
    """The model that a person means by `name`: the one that `match_model` finds in the catalogue.

    Any other name is a model with unknown limits and price, unless `strict`: then it raises `UnknownName` with the
    nearest ids. A provider without a catalogue takes every name, strict or not. An empty name is refused always.
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
        hint = f"(give a full id; zot --list-models tells those of {provider.title} as of {date})"
    raise UnknownName.among("model", name, [id for id in known if id.startswith(name)] or known, hint)


def match_model(name: str, models: Mapping[str, Model]) -> Model | None:
    """The one of `models`, which stand under their ids, that a person means by `name`.

    In this order: an id; a dated snapshot ("gpt-5-2025-08-07") of one, which keeps its own id and has the limits and
    price of the undated one; the beginning of the ids of one single model ("claude-haiku"). Else None.
    """
    undated = _undated(name)
    if name in models:
        return models[name]
    if undated in models and not name.endswith("-latest"):
        return models[undated].replace(id=name)
    completed = _complete_id(name, [id for id in models if id.startswith(name)]) if name else None
    return models[completed] if completed else None


def _complete_id(name: str, candidates: list[str]) -> str | None:
    """The id to send for `name`, given the ids that begin with it; None unless they are all of one model.

    A model that differs from `name` by its date only wins over those that merely begin like it.
    """
    ids = [id for id in candidates if _undated(id) == name] or candidates
    stems = {_undated(id) for id in ids}
    if len(stems) != 1:
        return None
    # The undated id, else the provider's own "latest", else the newest date.
    return max(ids, key=lambda id: (id in stems, id.endswith("-latest"), id))


def _undated(id: str) -> str:
    """The id without a date ("-20250929", "-2024-11-20") or "-latest" at its end."""
    return re.sub(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$", "", id)


def _model(provider: Provider, row: dict[str, Any]) -> Model:
    price = row["price"]
    known = row | {"efforts": tuple(row["efforts"]), "price": None if price is None else Price(**price)}
    return Model(**known, provider=provider.id)


def _models(provider: Provider) -> dict[str, dict[str, Any]]:
    """The rows of the provider's catalogue by id. They are shared: copy before changing."""
    if provider.catalog is None:
        return {}
    rows: dict[str, dict[str, Any]] = _read(provider.catalog)["models"]
    return rows


@cache
def _read(name: str) -> dict[str, Any]:
    """A data file, its models by id."""
    import json  # noqa: PLC0415  kept out of the start of modes that ask for no model

    with open(os.path.join(_DATA, f"{name}.json"), encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data | {"models": {row["id"]: row for row in data["models"]}}
