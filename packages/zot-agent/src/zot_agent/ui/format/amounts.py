"""Tokens, money and percentages formatted for the status row; pure.

No text is longer than 12 characters, so the status row can be laid out once.
"""

from zot_provider.model import Model
from zot_provider.usage import Usage

_MAX_TOKENS = 999_999_999_999


def tokens(count: int) -> str:
    """Format a count: `0`, `999`, `1.2k`, `12.3k`, `123k`, `1.2M`; powers of 1000, rounded."""
    count = min(max(count, 0), _MAX_TOKENS)
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
    """Format a cost: `$0`, `<$0.001`, `$0.014`, `$1.23`, `$1,234`; at least two significant digits."""
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
    """Format the cost of `usage`; empty if the price is unknown, since an unknown cost is not zero."""
    return "" if model.price is None and not usage.cost_usd else cost(usage.cost_usd or 0.0)


def percent(part: float, whole: float) -> str:
    """Format a share: `0%`, `<1%`, `42%`, `100%`, `>999%`, rounded down; empty if `whole` is unknown (0)."""
    if not whole > 0:
        return ""
    share = max(part, 0) / whole * 100
    if share == 0:
        return "0%"
    if share < 1:
        return "<1%"
    return ">999%" if share >= 1000 else f"{int(share)}%"
