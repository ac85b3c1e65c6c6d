"""Translation of a reasoning effort to the parameters of each wire.

Sources: OpenAI, "Reasoning models" (`reasoning_effort`, `reasoning.effort`); Anthropic, "Effort"
(`output_config.effort`) and "Extended thinking" (`budget_tokens`).
"""

from zot_provider.model import Model
from zot_provider.request import Reasoning

_LADDER = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The words of providers, from the least effort to the greatest."""

_COMMON = ("low", "medium", "high")
"""The words that every model with a reasoning effort accepts."""

_PARAMETERS: dict[Reasoning, tuple[str, int]] = {
    "off": ("none", 0),
    "minimum": ("minimal", 1024),
    "low": ("low", 4096),
    "medium": ("medium", 10_240),
    "high": ("high", 24_576),
    "xhigh": ("xhigh", 32_768),
    "max": ("max", 63_488),
}
"""Each effort as a word and as a budget of thinking tokens, which is 0 or at least 1024."""

SMALLEST_BUDGET = 1024


def effort_word(model: Model, reasoning: Reasoning) -> str | None:
    """Return the word to send for an effort, None to send nothing.

    It is the nearest word the model accepts (the common words, if the model's are unknown) that does not exceed the
    effort, else the lowest. "off" becomes "none" if the model has that word, and None otherwise.
    """
    if not model.reasoning:
        return None
    known = [word for word in _LADDER if word in (model.efforts or _COMMON)]
    wanted = _PARAMETERS[reasoning][0]
    if wanted == "none":
        return wanted if wanted in known else None
    known = [word for word in known if word != "none"]
    reached = [word for word in known if _LADDER.index(word) <= _LADDER.index(wanted)]
    return next(iter(reached[-1:] or known[:1]), None)


def thinking_budget(model: Model, reasoning: Reasoning, max_tokens: int) -> int | None:
    """Return the thinking tokens to allow out of `max_tokens`, None for no thinking.

    Of a small `max_tokens`, at least half is left for the answer itself.
    """
    if not model.reasoning or reasoning == "off":
        return None
    budget = min(_PARAMETERS[reasoning][1], max(max_tokens // 2, max_tokens - 16_384))
    return budget if budget >= SMALLEST_BUDGET else None
