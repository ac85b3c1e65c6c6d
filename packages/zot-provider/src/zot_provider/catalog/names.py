"""The names that people use for models: parts of ids, ids that are newer than the catalogue, and reasoning levels."""

import re
from collections.abc import Iterable, Mapping

from zot_provider.families import normal_id
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.request import Reasoning
from zot_provider.wire.reasoning import LEVELS

_SIMILARITY = 0.75


class _Parts(Record):
    """The parts of a name: its words in order, its version, and whether it has no date."""

    words: tuple[str, ...]
    version: tuple[int, ...]
    undated: bool


def match_model(name: str, models: Mapping[str, Model]) -> Model | None:
    """Return the model that a person means by `name`, or None. `models` maps ids to models.

    A name is, in this order: an id; a dated snapshot of an id ("gpt-5-2025-08-07"), which keeps its date and has the
    limits and price of the undated model; words of an id, the last of which may be incomplete ("sonnet", "claude-hai").
    Of several models whose words are the same, the newest is meant; a version in the name must be that of the id. Words
    that fit several lines of models ("claude") mean none of them.
    """
    if name in models:
        return models[name]
    undated = without_date(name)
    if undated in models and not name.endswith("-latest"):
        return models[undated].replace(id=name)
    wanted = _parts(name)
    if not wanted.words or name.endswith("-latest"):  # such an id is not made up
        return None
    fitting = [(_parts(id), id) for id in models]
    fitting = [(parts, id) for parts, id in fitting if _fits(wanted, parts)]
    fewest = min((len(parts.words) for parts, _ in fitting), default=0)
    closest = [(parts, id) for parts, id in fitting if len(parts.words) == fewest]
    if len({frozenset(parts.words) for parts, _ in closest}) != 1:
        return None
    best = max(closest, key=lambda each: (each[0].version, each[0].undated, each[1].endswith("-latest"), each[1]))
    return models[best[1]]


def may_be_newer(name: str, ids: Iterable[str]) -> bool:
    """Whether `name` can be a model that is newer than the catalogue with these ids, and not a misspelling.

    It must be of a vendor in the catalogue, with a version that follows the versions of its line, and words that no
    word of the catalogue resembles. A catalogue with slashes in its ids belongs to a provider that serves models of
    many vendors: it is never complete, and any name with a slash can be one of them.
    """
    known = list(ids)
    if "/" in name and any("/" in id for id in known):
        return True
    vendor, own = normal_id(name)[0], _parts(name)
    family = [_parts(id) for id in known if normal_id(id)[0] == vendor]
    if not vendor or not family or not own.version or name.endswith("-latest"):
        return False
    words = {word for each in family for word in each.words}
    strange = [word for word in own.words if word not in words]
    if any(_resembles(word, words) for word in strange):
        return False
    line = [each.version for each in family if set(each.words) == set(own.words)]
    newest = max((each.version for each in family), default=())
    return own.version > max(line, default=()) and own.version[0] <= (newest or (0,))[0] + 2


def split_level(name: str) -> tuple[str, Reasoning | None]:
    """Return a name without the reasoning level at its end ("opus:high"), and the level, None if it has no level."""
    head, colon, tail = name.rpartition(":")
    level = next((each for each in LEVELS if each == tail or (each, tail) == ("minimum", "minimal")), None)
    return (head, level) if colon and head and level is not None else (name, None)


def search_models(text: str, models: Iterable[Model]) -> list[Model]:
    """Return the models whose provider, id and name contain each word of `text`, in any order and case."""
    wanted = text.lower().split()
    return [
        model for model in models if all(word in f"{model.provider}/{model.id} {model.name}".lower() for word in wanted)
    ]


def without_date(id: str) -> str:
    """Return the id without a date ("-20250929", "-2024-11-20") or "-latest" at its end."""
    return re.sub(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$", "", id)


def _parts(name: str) -> _Parts:
    words: list[str] = []
    version: list[int] = []
    for dated, part in re.findall(
        r"(\d{8}|\d{4}-\d{2}-\d{2}|\d{4})(?![0-9a-z])|([0-9a-z]+)", without_date(name.lower())
    ):
        if dated:
            continue
        letters = part.rstrip("0123456789")
        if part.isdigit() or (letters.isalpha() and letters != part):
            version.append(int(part[len(letters) :]))
        if letters:
            words.append(letters if letters.isalpha() else part)
    return _Parts(tuple(words), tuple(version), without_date(name) == name)


def _fits(wanted: _Parts, parts: _Parts) -> bool:
    """Whether the words are among the words of an id, the last one perhaps only begun, and the version is the same."""
    if wanted.version and wanted.version != parts.version:
        return False
    *whole, last = wanted.words
    rest = list(parts.words)
    for word in whole:
        if word not in rest:
            return False
        rest.remove(word)
    return any(word.startswith(last) for word in rest)


def _resembles(word: str, words: Iterable[str]) -> bool:
    import difflib  # noqa: PLC0415  needed only for unknown names

    return bool(difflib.get_close_matches(word, list(words), n=1, cutoff=_SIMILARITY))
