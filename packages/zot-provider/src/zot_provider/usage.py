"""`Usage`: tokens of model calls and their cost."""

from zot_provider.model import Price
from zot_provider.record import Record

_HOUR = 1.6
"""Price of a token that is written to a cache for an hour, in that of one written for five minutes: 2 and 1.25 times
the input (Claude docs, "Prompt caching", and the prices of Amazon Bedrock)."""

_DECIMALS = 10
"""Decimals of a cost: some tokens cost 0.000000025 dollars, and sums of floats have errors in the last places."""


class Usage(Record):
    """Tokens of one or several model calls, each counted once: `input` excludes tokens read from the cache.

    `reasoning` is the part of `output` spent on thinking, None if the provider does not report it. `cost_usd` is None
    if the price is unknown; a sum leaves out unknown costs, and is None if it has no other. `hour` is the part of
    `cache_write` that is kept for an hour; it counts for the cost, and sums leave it out.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost_usd: float | None = None
    reasoning: int | None = None
    hour: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        known = self.reasoning is not None or other.reasoning is not None
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            round(sum(costs), _DECIMALS) if costs else None,
            (self.reasoning or 0) + (other.reasoning or 0) if known else None,
        )

    @property
    def counts(self) -> dict[str, int]:
        """The tokens by kind, as events and rows name them."""
        return {
            "input": self.input,
            "output": self.output,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
        }

    @property
    def context(self) -> int:
        """Tokens that the last request and its answer occupy in the context window."""
        return sum(self.counts.values())

    @property
    def shown_cost(self) -> float | None:
        """`cost_usd` with six decimals, as events and rows have it."""
        return None if self.cost_usd is None else round(self.cost_usd, 6)

    def priced(self, price: Price | None) -> "Usage":
        """Return the tokens of one request with their cost at `price`; without a price the cost is unchanged."""
        if price is None:
            return self
        sent = self.input + self.cache_read + self.cache_write
        rates = next((tier for tier in reversed(price.tiers) if sent > tier.above), price)
        cost = (
            self.input * rates.input
            + self.output * rates.output
            + self.cache_read * rates.cache_read
            + (self.cache_write + self.hour * (_HOUR - 1)) * rates.cache_write
        ) / 1_000_000
        return Usage(self.input, self.output, self.cache_read, self.cache_write, round(cost, _DECIMALS), self.reasoning)
