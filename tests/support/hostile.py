"""What may come from outside, as strategies: any bytes, any JSON, and damaged forms of what is usual."""

import copy
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

T = TypeVar("T")

few = settings(
    max_examples=settings.default.max_examples // 5,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
"""The number of examples of a target: they all are part of every run of the tests."""

fewer = settings(few, max_examples=few.max_examples // 4)
"""The same for a target that starts a server for each example."""

ODD_TEXTS = [
    *("", " ", "\0", "\n", "\r\n", "\t", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x85", "\u2028", "\ufeff", "\ud800"),
    *("é", "漢字", "👩\u200d🚀", "e" + "\u0301" * 40, "\u202e", "a/../b", "../..", "~", "/", "-", "--", "%s%n", "{0}"),
    *("x" * 3000, "9" * 5000, "1e999", "NaN", "null", "true", "[" * 500),
]
ODD_NUMBERS = [0, -1, 1, 2**31, 2**53 + 1, -(2**63), 10**30, 10**400, 0.5, -0.0, 1e308, float("inf"), float("nan")]

texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=12), st.text(st.characters(codec=None), max_size=6))
scalars = st.one_of(
    st.none(), st.booleans(), st.sampled_from(ODD_NUMBERS), st.integers(-5, 200), st.floats(), texts
)  # fmt: skip
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
ODD_BYTES = [
    *(b"", b"\0", b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"\x1b", b" " * 70),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b":", b",", b"-", b"#", b"%", b"0" * 40, b"9" * 5000, b"[" * 9000),
]
raw = st.one_of(st.binary(max_size=60), st.sampled_from(ODD_BYTES))


def json_bytes(value: Any) -> bytes:
    """JSON text of a value, with what JSON does not have: NaN, infinity, lone surrogates."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


@st.composite
def doctored(draw: st.DrawFn, samples: Sequence[Any], *, most: int = 3) -> Any:
    """One of some JSON values, in which up to `most` places hold something else, or nothing, or are named otherwise."""
    value = [copy.deepcopy(draw(st.sampled_from(samples)))]
    for _ in range(draw(st.integers(0, most))):
        place: Any = value
        key: Any = 0
        while isinstance(place[key], dict | list) and place[key] and draw(st.integers(0, 3)):
            place = place[key]
            key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        match draw(st.sampled_from(["replace", "replace", "drop", "again"])):
            case "drop" if place is not value:
                del place[key]
            case "again" if isinstance(place, list) and place is not value:
                place.insert(key, copy.deepcopy(place[key]))
            case "again" if isinstance(place, dict):
                place[draw(texts)] = place[key]
            case _:
                place[key] = draw(json_values)
    return value[0]


@st.composite
def damaged(draw: st.DrawFn, samples: Sequence[bytes], tokens: Sequence[bytes] = (), *, most: int = 4) -> bytes:
    """One of some byte strings, of which up to `most` pieces are cut out, written twice, or replaced by something else;
    or any bytes, among them `tokens`."""
    pieces = st.one_of(raw, st.sampled_from(tokens)) if tokens else raw
    if not draw(st.integers(0, 7)):
        return b"".join(draw(st.lists(pieces, max_size=12)))
    data = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 20)))
        match draw(st.sampled_from(["replace", "insert", "drop", "again", "end"])):
            case "replace":
                data = data[:start] + draw(pieces) + data[end:]
            case "insert":
                data = data[:start] + draw(pieces) + data[start:]
            case "drop":
                data = data[:start] + data[end:]
            case "again":
                data = data[:end] + data[start:]
            case _:
                data = data[:start]
    return data


def cuts(most: int = 5) -> st.SearchStrategy[list[int]]:
    """Places at which to cut bytes; see `cut`."""
    return st.lists(st.integers(0, 2000), max_size=most)


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    """The pieces of `data`, cut at these places. No piece is empty."""
    inside = sorted({place for place in places if 0 < place < len(data)})
    return [data[start:end] for start, end in pairwise([0, *inside, len(data)]) if start < end]


def outcome(call: Callable[[], T], *refusals: type[Exception]) -> T | None:
    """What a call returns; None if it raises one of `refusals`, whose text says why."""
    try:
        return call()
    except refusals as error:
        refusal = str(error)
    assert is_reason(refusal), refusal
    return None


def is_reason(text: str) -> bool:
    """Whether a text says something, and not too much."""
    return 0 < len(text.strip()) < 100_000
