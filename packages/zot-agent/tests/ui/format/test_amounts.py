import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.ui.format.amounts import cost, percent, spent, tokens
from zot_provider.model import Model, Price
from zot_provider.usage import Usage
from zot_tui.widgets.amounts import duration

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "0.0s"), (0.04, "0.0s"), (0.3, "0.3s"), (9.94, "9.9s"), (9.96, "10s"), (59.4, "59s"), (59.6, "1m 00s"),
        (72, "1m 12s"), (3599.6, "1h 00m"), (7500, "2h 05m"), (86399, "23h 59m"), (273600, "3d 04h"),
        (math.nan, "0.0s"), (math.inf, "9999d 00h"),
    ],
)  # fmt: skip
def test_durations_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def read_duration(text: str) -> float:
    sizes = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    return sum(float(part[:-1]) * sizes[part[-1]] for part in text.split())


@given(st.floats(0, 8_000_000))
def test_a_duration_is_near_what_it_stands_for(seconds: float) -> None:
    shown = read_duration(duration(seconds))
    step = 0.06 if seconds < 9.95 else 0.51 if seconds < 3600 else 61 if seconds < 86400 else 3601
    assert abs(shown - seconds) <= step


@given(st.floats(0, 8_000_000), st.floats(0, 8_000_000))
def test_a_longer_duration_never_reads_as_a_shorter_one(one: float, other: float) -> None:
    small, large = sorted((one, other))
    assert read_duration(duration(small)) <= read_duration(duration(large))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (-5, "0"), (0, "0"), (999, "999"), (1000, "1.0k"), (1234, "1.2k"), (12_345, "12.3k"), (99_949, "99.9k"),
        (99_950, "100k"), (123_456, "123k"), (999_499, "999k"), (999_500, "1.0M"), (1_234_567, "1.2M"),
        (999_500_000, "1.0G"), (10**15, "1000G"),
    ],
)  # fmt: skip
def test_token_counts_in_words(count: int, text: str) -> None:
    assert tokens(count) == text


@given(st.integers(0, 10**11))
def test_a_token_count_is_within_half_of_its_last_digit(count: int) -> None:
    text = tokens(count)
    unit = text[-1] if text[-1].isalpha() else ""
    digits = text.removesuffix(unit)
    step = UNITS[unit] * (0.1 if "." in digits else 1)
    assert abs(float(digits) * UNITS[unit] - count) <= step / 2 + 1e-6 * UNITS[unit]
    assert len(text) <= 5


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (0, "$0"), (-1, "$0"), (math.nan, "$0"), (0.0004, "<$0.001"), (0.0144, "$0.014"), (0.9994, "$0.999"),
        (0.9996, "$1.00"), (1.234, "$1.23"), (1234.5, "$1,234"), (1e20, "$99,999,999"),
    ],
)  # fmt: skip
def test_costs_in_words(dollars: float, text: str) -> None:
    assert cost(dollars) == text


@given(st.floats(0.0005, 9_000_000))
def test_a_cost_is_near_what_it_stands_for(dollars: float) -> None:
    shown = float(cost(dollars).strip("$").replace(",", ""))
    assert abs(shown - dollars) <= max(0.000501, dollars * 0.0051)


def test_a_cost_that_nobody_knows_is_not_nothing() -> None:
    assert spent(Usage(1, 2), Model("m", "v")) == ""
    assert spent(Usage(1, 2), Model("m", "v", price=Price(0, 0))) == "$0"
    assert spent(Usage(1, 2, cost_usd=0.5), Model("m", "v")) == "$0.500"


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_share_is_never_said_to_be_more_than_it_is(part: int, whole: int) -> None:
    text = percent(part, whole)
    if whole == 0:
        assert text == ""
    elif text == "<1%":
        assert 0 < part * 100 < whole
    elif text == ">999%":
        assert part >= 10 * whole
    else:
        shown = int(text.removesuffix("%"))
        assert shown * whole <= part * 100 * (1 + 1e-12)
        assert part * 100 < (shown + 1) * whole * (1 + 1e-12)


@given(st.floats(allow_nan=True, allow_infinity=True), st.integers(-(10**20), 10**20))
def test_no_amount_breaks_a_status_line(number: float, count: int) -> None:
    for text in (duration(number), cost(number), percent(count, 1000), tokens(count)):
        assert len(text) <= 12
        assert text.isprintable()
