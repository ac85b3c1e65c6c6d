"""`ServerLists`: the lists of models that servers returned, kept in a file between programs."""

import os
import time
from collections.abc import Mapping
from typing import Any

from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.json_text import dump, read_strict
from zot_provider.model import Model, Price, PriceTier, Thinking
from zot_provider.record import Record

MAX_AGE = 6 * 3600.0
"""Seconds for which a list is fresh."""

_LARGEST_FILE = 8 << 20
_MOST_LISTS = 100


class _ServerList(Record):
    """The models of a server, the address that was asked, and when, in seconds since 1970."""

    address: str
    time: float
    models: dict[str, Model]


class ServerLists:
    """Lists of models by provider id, each valid for the address that was asked.

    The file is read when a list is first needed. A file that cannot be read is ignored, because the servers have all of
    it, and the lists are not kept if it cannot be written.
    """

    def __init__(self, path: str = "") -> None:
        """`path` is the file, empty to keep nothing."""
        self._path = path
        self._lists: dict[str, _ServerList] | None = None if path else {}
        self._failures: dict[str, tuple[str, float]] = {}  # what was said of a provider's server, and when

    @property
    def kept(self) -> bool:
        """Whether the lists are kept in a file."""
        return bool(self._path)

    def models(self, id: str, address: str) -> dict[str, Model]:
        """Return the models of a provider's server by id; empty if this address was not asked."""
        found = self._read().get(id)
        return found.models if found is not None and found.address == address else {}

    def fresh(self, id: str, address: str) -> bool:
        """Whether the list of this server is younger than `MAX_AGE`."""
        found = self._read().get(id)
        return found is not None and found.address == address and 0 <= time.time() - found.time < MAX_AGE

    def remember(self, id: str, address: str, models: Mapping[str, Model]) -> None:
        self._failures.pop(id, None)
        self._read()[id] = _ServerList(address, time.time(), dict(models))

    def is_news(self, id: str, problem: str) -> bool:
        """Note why a server did not list its models; return whether that was not said for as long as a list is
        fresh."""
        said, when = self._failures.get(id, ("", 0.0))
        if said == problem and 0 <= time.time() - when < MAX_AGE:
            return False
        self._failures[id] = problem, time.time()
        return True

    def forget(self, id: str) -> None:
        """Remove the list of a provider's server, if there is a list."""
        self._read().pop(id, None)

    def save(self) -> None:
        """Write the file, which is complete at any time. Does nothing without a file."""
        if not self._path:
            return
        lists = {id: _encode(found) for id, found in sorted(self._read().items())[:_MOST_LISTS]}
        try:
            make_private(os.path.dirname(self._path))
            replace_file(self._path, dump({"version": 1, "lists": lists}).encode(), mode=0o600)
        except (OSError, ValueError, TypeError):
            return

    def _read(self) -> dict[str, _ServerList]:
        if self._lists is None:
            self._lists = _load(self._path)
        return self._lists


def _load(path: str) -> dict[str, _ServerList]:
    try:
        value = read_strict(read_regular(path, _LARGEST_FILE))
        if value.get("version") != 1:
            return {}
        found = {id: _decode(id, each) for id, each in value["lists"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
    return {id: each for id, each in found.items() if each is not None}


def _encode(found: _ServerList) -> dict[str, Any]:
    models = [_fields(model) for model in found.models.values()]
    return {"address": found.address, "time": found.time, "models": models}


def _fields(value: Any) -> Any:
    """Return the JSON form of a model and of the records in it, without empty fields."""
    if isinstance(value, Record):
        found = {name: _fields(getattr(value, name)) for name in value.__match_args__}
        return {name: each for name, each in found.items() if each is not None and each != ""}
    return [_fields(each) for each in value] if isinstance(value, tuple) else value


def _decode(id: str, value: dict[str, Any]) -> _ServerList | None:
    """Return the list of a provider, None if it is damaged."""
    try:
        models = [_model(fields) for fields in value["models"]]
        found = _ServerList(value["address"], float(value["time"]), {model.id: model for model in models})
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return found if all(model.provider == id for model in models) else None


def _model(fields: dict[str, Any]) -> Model:
    """Return a model from its JSON form. Raises TypeError and LookupError for another form."""
    price, how = fields.pop("price", None), fields.pop("thinking", None)
    made = Model(**fields)
    if not all(isinstance(text, str) for text in (made.id, made.provider, made.name, made.wire, made.base_url)):
        raise TypeError("a text is missing")
    if not all(type(number) is int for number in (made.context_window, made.max_output)):
        raise TypeError("a number is missing")
    if price is not None:
        tiers = price.pop("tiers", ())
        if not all(type(amount) in (int, float) for each in (price, *tiers) for amount in each.values()):
            raise TypeError("a price is missing")
        made = made.replace(price=Price(**price, tiers=tuple(PriceTier(**tier) for tier in tiers)))
    if how is not None:
        made = made.replace(thinking=Thinking(**{**how, "words": tuple(how.get("words", ()))}))
    return made
