"""From neutral effort to each wire's knobs: one table.

Sources: OpenAI, "Reasoning models" (`reasoning_effort`, `reasoning.effort`); Anthropic, "Effort"
(`output_config.effort`) and "Extended thinking" (`budget_tokens`).
"""

from zot_provider.model import Model
from zot_provider.request import Reasoning

_LADDER = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The providers' words, from the least effort to the most."""

_COMMON = ("low", "medium", "high")
"""What every model that takes an effort takes."""

_KNOBS: dict[Reasoning, tuple[str, int]] = {
    "off": ("none", 0),
    "minimum": ("minimal", 1024),
    "low": ("low", 4096),
    "medium": ("medium", 10_240),
    "high": ("high", 24_576),
    "xhigh": ("xhigh", 32_768),
    "max": ("max", 63_488),
}
"""The effort as a word, and as a budget of thinking tokens (at least 1024 where there is one)."""

SMALLEST_BUDGET = 1024


def effort_word(model: Model, reasoning: Reasoning) -> str | None:
    """The word to send for an effort, None to send nothing.

    Of the words the model takes (or every model, if its own are unknown) the nearest one that asks for no more, else
    the least. "off" asks for "none" where the model has that word and for nothing elsewhere.
    """
    if not model.reasoning:
        return None
    known = [word for word in _LADDER if word in (model.efforts or _COMMON)]
    wanted = _KNOBS[reasoning][0]
    if wanted == "none":
        return wanted if wanted in known else None
    known = [word for word in known if word != "none"]
    reached = [word for word in known if _LADDER.index(word) <= _LADDER.index(wanted)]
    return next(iter(reached[-1:] or known[:1]), None)


def thinking_budget(model: Model, reasoning: Reasoning, max_tokens: int) -> int | None:
    """Tokens of thinking to allow out of `max_tokens`, None for no thinking.

    At least half of a small answer stays for the answer itself.
    """
    if not model.reasoning or reasoning == "off":
        return None
    budget = min(_KNOBS[reasoning][1], max(max_tokens // 2, max_tokens - 16_384))
    return budget if budget >= SMALLEST_BUDGET else None
