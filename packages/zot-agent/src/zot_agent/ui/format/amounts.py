"""Tokens, money and shares as a person reads them in a status line; pure.

The longest text any of them gives is 12 characters, so that a status line can be laid out once.
"""

from zot_provider.model import Model
from zot_provider.usage import Usage

_MOST = 999_999_999_999


def tokens(count: int) -> str:
    """`0`, `999`, `1.2k`, `12.3k`, `123k`, `1.2M`; powers of 1000, rounded."""
    count = min(max(count, 0), _MOST)
    for unit, size in (("", 1), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000)):
        amount = count / size
        if unit == "" and count < 1000:
            return str(count)
        if unit and amount < 99.95:
            return f"{amount:.1f}{unit}"
        if unit and amount < 999.5:
            return f"{amount:.0f}{unit}"
    return f"{count / 1e9:.0f}G"


def cost(dollars: float) -> str:
    """`$0`, `<$0.001`, `$0.014`, `$1.23`, `$1,234`: at least two digits of what was spent."""
    if not dollars > 0:
        return "$0"
    if dollars < 0.0005:
        return "<$0.001"
    if dollars < 0.9995:
        return f"${dollars:.3f}"
    if dollars < 999.995:
        return f"${dollars:.2f}"
    return f"${min(dollars, 99_999_999):,.0f}"


def spent(usage: Usage, model: Model) -> str:
    """The cost of `usage`; empty where nobody knows the price: an unknown cost is not nothing."""
    return "" if model.price is None and not usage.cost_usd else cost(usage.cost_usd)


def percent(part: float, whole: float) -> str:
    """`0%`, `<1%`, `42%`, `100%`, `>999%`; empty if the whole is unknown (0). 100% is not said before it is so."""
    if not whole > 0:
        return ""
    share = max(part, 0) / whole * 100
    if share == 0:
        return "0%"
    if share < 1:
        return "<1%"
    return ">999%" if share >= 1000 else f"{int(share)}%"
