"""Fuzzy search: whether the letters of a query occur in a text in order, how well, and where; pure.

Scores follow the idea of fzf's second algorithm: every matched letter earns points, more at the beginning of a word,
and more next to the previous letter; gaps cost points. Scores are comparable only for the same query.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

HIT = 16
WORD_START = 8  # after a separator, or an upper-case after a lower-case letter
TEXT_START = 4  # in addition to WORD_START
ADJACENT = 6
EXACT_CASE = 1
GAP_OPEN = 3
GAP_CELL = 1

EXACT_TEXT = 256  # longest text for which the best placing of the letters is searched
EXACT_CANDIDATES = 500  # how many candidates of a ranking get that search


@dataclass(slots=True)
class Match:
    """How well a text matches (higher is better) and the positions of the query's letters in it, ascending."""

    score: int
    positions: list[int]


@dataclass(slots=True)
class Ranked(Generic[T]):
    """An item that matches, and its match."""

    item: T
    match: Match


def match(query: str, text: str) -> Match | None:
    """Match `query` against `text`; None if it does not match. Case is ignored, but equal case scores higher.

    Words of the query (separated by spaces) may occur anywhere, in any order. An empty query matches everything with
    score 0. In a text longer than `EXACT_TEXT` the letters are placed close together instead of optimally.
    """
    return _match(query.split(), text, exact=len(text) <= EXACT_TEXT)


def rank(query: str, items: Iterable[T], text: Callable[[T], str], limit: int = 0) -> list[Ranked[T]]:
    """Return the items whose `text` matches, best first: by score, then by length of text, then in the given order.

    `limit` is the maximum number of results, 0 for all. If more than `EXACT_CANDIDATES` items match, only those with
    the closest letters are placed optimally; the others are ranked by the close placing.
    """
    words = query.split()
    folded_words = [_fold(word) for word in words]
    rough: list[tuple[int, int, T, str]] = []
    for item in items:
        shown = text(item)
        spread = _spread(folded_words, _fold(shown))
        if spread is not None:
            rough.append((spread, len(shown), item, shown))
    if len(rough) > EXACT_CANDIDATES:
        rough.sort(key=lambda each: each[:2])
        if limit:
            del rough[max(limit, EXACT_CANDIDATES) :]
    found: list[tuple[int, int, Ranked[T]]] = []
    for index, (_, length, item, shown) in enumerate(rough):
        exact = index < EXACT_CANDIDATES and length <= EXACT_TEXT
        placed = _match(words, shown, exact=exact)
        if placed is not None:
            found.append((-placed.score, length, Ranked(item, placed)))
    found.sort(key=lambda each: each[:2])
    ranked = [entry for _, _, entry in found]
    return ranked[:limit] if limit else ranked


def _match(words: list[str], text: str, *, exact: bool) -> Match | None:
    folded = _fold(text)
    score = 0
    positions: set[int] = set()
    for word in words:
        small = _fold(word)
        placed = _pack(small, folded)
        if placed is None:
            return None
        if exact:
            placed = _place(small, folded, word, text)
        score += _score(placed, word, text)
        positions.update(placed)
    return Match(score, sorted(positions))


def _fold(text: str) -> str:
    """Return `text` in lower case at the same length: letters whose lower case is longer are kept."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(each if len(each) == 1 else letter for letter, each in ((each, each.lower()) for each in text))


def _spread(words: list[str], folded: str) -> int | None:
    """Return the number of other characters between the closely placed letters of the words, or None."""
    spread = 0
    for word in words:
        placed = _pack(word, folded)
        if placed is None:
            return None
        spread += placed[-1] - placed[0] + 1 - len(word)
    return spread


def _pack(word: str, folded: str) -> list[int] | None:
    """Return positions of the letters with the last letter as early and the others as late as possible, or None."""
    end = -1
    for letter in word:
        end = folded.find(letter, end + 1)
        if end < 0:
            return None
    positions = []
    end += 1
    for letter in reversed(word):
        end = folded.rfind(letter, 0, end)
        positions.append(end)
    positions.reverse()
    return positions


def _place(small: str, folded: str, word: str, text: str) -> list[int]:
    """Return the positions of the letters of a matching word with the highest `_score` (the first such placing).

    There is one row for each letter: for every possible position, the best score up to it and the position of the
    letter before.
    """
    rows: list[dict[int, tuple[int, int]]] = []
    for index, letter in enumerate(small):
        row: dict[int, tuple[int, int]] = {}
        before = list(rows[-1].items()) if rows else []
        passed = 0
        far: tuple[int, int] | None = None  # the best one before a gap: score at offset 0, position
        place = folded.find(letter)
        while place >= 0:
            while passed < len(before) and before[passed][0] < place - 1:
                earlier, (score, _) = before[passed]
                worth = score + GAP_CELL * (earlier + 1)
                if far is None or worth > far[0]:
                    far = (worth, earlier)
                passed += 1
            ways = [(far[0] - GAP_OPEN - GAP_CELL * place, far[1])] if far else []
            if rows and place - 1 in rows[-1]:
                ways.append((rows[-1][place - 1][0] + ADJACENT, place - 1))
            if index == 0:
                ways.append((0, -1))
            if ways:
                score, earlier = max(ways)
                row[place] = (score + _worth(word[index], text, place), earlier)
            place = folded.find(letter, place + 1)
        rows.append(row)
    place = max(rows[-1], key=lambda each: rows[-1][each][0])
    positions = []
    for row in reversed(rows):
        positions.append(place)
        place = row[place][1]
    positions.reverse()
    return positions


def _score(positions: list[int], word: str, text: str) -> int:
    """Return the points for the letters of `word` at these positions of `text`."""
    score = 0
    last = -1
    for index, place in enumerate(positions):
        score += _worth(word[index], text, place)
        if index:
            gap = place - last - 1
            score += ADJACENT if not gap else -GAP_OPEN - GAP_CELL * gap
        last = place
    return score


def _worth(letter: str, text: str, place: int) -> int:
    """Return the points for one letter of the query at one position, regardless of the others."""
    points = HIT + (EXACT_CASE if text[place] == letter else 0)
    if place == 0:
        return points + WORD_START + TEXT_START
    before, here = text[place - 1], text[place]
    if here.isalnum() and (not before.isalnum() or (before.islower() and here.isupper())):
        points += WORD_START
    return points
