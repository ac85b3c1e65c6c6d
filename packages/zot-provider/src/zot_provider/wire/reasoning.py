"""Translation of a reasoning level to the parameters of a model.

How a model is asked to think is data: `Model.thinking`, else the family of its id (`zot_provider.families`). The wires
use these functions alone, so that a level means the same with all of them.
"""

from typing import Any, get_args

from zot_provider.families import family
from zot_provider.model import Model, Thinking
from zot_provider.request import Reasoning, Request

LEVELS: tuple[Reasoning, ...] = get_args(Reasoning)
"""The reasoning levels, from the least to the greatest."""

_WORDS: dict[Reasoning, str] = {
    "off": "none",
    "minimum": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "max",
}

_BUDGETS: dict[Reasoning, int] = {
    "off": 0,
    "minimum": 1024,
    "low": 4096,
    "medium": 10_240,
    "high": 24_576,
    "xhigh": 32_768,
    "max": 63_488,
}
"""Each level as a number of thinking tokens, which is 0 or at least 1024."""

_COMMON = ("low", "medium", "high")
"""The words that every model with a reasoning effort accepts."""

_UNKNOWN = Thinking()
"""How a model of an unknown family is asked."""


def thinking(model: Model) -> Thinking | None:
    """Return how the model is asked to think, None if it cannot think.

    A model of an unknown family accepts the common words or a budget, whichever its wire has.
    """
    if not model.reasoning:
        return None
    if model.thinking is not None:
        return model.thinking
    found = family(model.id)
    return _UNKNOWN if found is None else found.thinking or _UNKNOWN


def levels(model: Model) -> tuple[Reasoning, ...]:
    """Return the levels that differ for this model, from the least to the greatest: "off" alone if it cannot think."""
    how = thinking(model)
    if how is None:
        return ("off",)
    if how.way in ("always", "switch") and not how.levels:
        return ("high",) if how.way == "always" or how.off == "lowest" else ("off", "high")
    return tuple(level for level in LEVELS if _exists(level, how))


def nearest_level(model: Model, level: Reasoning) -> Reasoning:
    """Return the level of the model that is nearest to `level`: the greater one of two. "off" is near to no other
    level, and a model that cannot be off has its least level for it."""
    known = levels(model)
    if level in known:
        return level
    thoughtful: list[Reasoning] = [each for each in known if each != "off"] or list(known) or [level]
    wanted = LEVELS.index(level)
    return min(thoughtful, key=lambda each: (abs(LEVELS.index(each) - wanted), -LEVELS.index(each)))


def effort_word(model: Model, level: Reasoning) -> str | None:
    """Return the word to send for a level, None to send nothing."""
    how = thinking(model)
    if how is None:
        return None
    known = nearest_level(model, level)
    if known in how.levels:
        return how.levels[known]
    words = how.words or (() if how.way in ("always", "switch") else _COMMON)
    return _WORDS[known] if _WORDS[known] in words else None


def thinking_budget(model: Model, level: Reasoning, max_tokens: int) -> int | None:
    """Return the thinking tokens to allow out of `max_tokens`: 0 to switch thinking off, None to send nothing.

    Of a small `max_tokens`, at least half is left for the answer itself.
    """
    how = thinking(model)
    if how is None:
        return None
    known = nearest_level(model, level)
    if known == "off":
        return 0 if how.off == "disabled" else None
    wanted = max(_BUDGETS[known], how.least)
    budget = min(wanted, how.most or wanted, max(max_tokens // 2, max_tokens - 16_384))
    return budget if budget >= how.least else None


def thinks(model: Model, level: Reasoning) -> bool:
    """Whether the model thinks at this level: also with "off", if it cannot be off."""
    return thinking(model) is not None and nearest_level(model, level) != "off"


def claude_thinking(request: Request, max_tokens: int, *, budget_allowed: bool) -> dict[str, Any]:
    """Return the fields `thinking` and `output_config` of a request to Claude, as far as they are needed.

    `budget_allowed`: whether a model that thinks by a budget may think now.
    """
    model, how = request.model, thinking(request.model)
    if how is None or how.way == "always":
        return {}
    if nearest_level(model, request.reasoning) == "off":
        return {"thinking": {"type": how.off}} if how.off in ("disabled", "between_tools") else {}
    if how.way == "adaptive":
        effort = effort_word(model, request.reasoning)
        output = {} if effort is None else {"output_config": {"effort": effort}}
        return {"thinking": {"type": "adaptive", "display": "summarized"}, **output}
    budget = thinking_budget(model, request.reasoning, max_tokens)
    if budget is None or not budget_allowed:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def claude_temperature(request: Request, thinking: dict[str, Any] | None) -> float | None:
    """Return the temperature to send to Claude beside a field `thinking`, which allows only the default temperature."""
    return temperature(request) if thinking in (None, {"type": "disabled"}) else None


def temperature(request: Request) -> float | None:
    """Return the temperature to send, None if none was asked for or the model would refuse it."""
    found = family(request.model.id)
    if found is None or found.sampling == "always":
        return request.temperature
    if found.sampling == "never" or thinks(request.model, request.reasoning):
        return None
    return request.temperature


def _exists(level: Reasoning, how: Thinking) -> bool:
    if level in how.levels:
        return how.levels[level] is not None
    if level == "off":
        return how.off != "lowest"
    if how.way == "budget":
        return not how.most or _BUDGETS[level] <= how.most
    return _WORDS[level] in (how.words or _COMMON)
