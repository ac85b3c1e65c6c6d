import pytest

from zot_provider.model import Price, PriceTier
from zot_provider.usage import Usage


def test_a_cost_is_unknown_without_a_price_and_zero_for_a_free_model() -> None:
    assert Usage(5, 5).priced(None).cost_usd is None
    assert Usage(5, 5).priced(Price(0.0, 0.0)).cost_usd == 0.0


@pytest.mark.parametrize(
    ("one", "two", "both"), [(None, None, None), (None, 0.5, 0.5), (0.5, None, 0.5), (0.0, None, 0.0), (0.1, 0.2, 0.3)]
)
def test_a_sum_leaves_out_unknown_costs(one: float | None, two: float | None, both: float | None) -> None:
    assert (Usage(cost_usd=one) + Usage(cost_usd=two)).cost_usd == both


def test_a_cost_is_shown_with_six_decimals() -> None:
    assert [Usage(cost_usd=cost).shown_cost for cost in (None, 0.0, 0.1234567)] == [None, 0.0, 0.123457]


def test_all_tokens_of_a_long_request_have_its_price() -> None:
    price = Price(1.0, 10.0, 0.1, 1.5, tiers=(PriceTier(100, 2.0, 20.0, 0.2, 3.0), PriceTier(200, 4.0, 40.0, 0.4, 6.0)))
    assert Usage(100, 10).priced(price).cost_usd == 0.0002
    assert Usage(50, 10, cache_read=50, cache_write=1).priced(price).cost_usd == 0.000313
    assert Usage(201, 10).priced(price).cost_usd == 0.001204


def test_costs_have_no_errors_of_floating_point() -> None:
    total = Usage()
    for _ in range(30):
        total += Usage(input=100).priced(Price(1.0, 1.0))
    assert repr(total.cost_usd) == "0.003"
    assert repr(Usage(input=1).priced(Price(0.025, 1.0)).cost_usd) == "2.5e-08"


def test_what_is_kept_for_an_hour_costs_more_to_write() -> None:
    price = Price(1.0, 5.0, 0.1, 1.25)
    assert Usage(cache_write=1_000_000).priced(price).cost_usd == 1.25
    assert Usage(cache_write=1_000_000, hour=1_000_000).priced(price).cost_usd == 2.0
