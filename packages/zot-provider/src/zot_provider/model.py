"""`Model`: what zot knows about a model before a request."""

from typing import Literal, TypeAlias

from zot_provider.record import Record, field

Way: TypeAlias = Literal["adaptive", "effort", "level", "budget", "switch", "always"]
"""How a model is asked to think. "adaptive": it decides itself how long, and a word limits its effort. "effort": by a
word. "level": by Gemini's word for a level. "budget": by a number of tokens. "switch": on or off. "always": it always
thinks."""

Off: TypeAlias = Literal["none", "disabled", "between_tools", "omitted", "lowest"]
"""How a model is asked not to think. "none": this word as its effort. "disabled": thinking is switched off, or the
budget is 0. "between_tools": it thinks only between tool calls. "omitted": it thinks only if it is asked to. "lowest":
it cannot be off, so the least effort is asked for."""


class Thinking(Record):
    """How a model is asked to think.

    `words` are the provider's words for its efforts, of "none", "minimal", "low", "medium", "high", "xhigh" and "max";
    empty if a budget is asked for or the words are unknown. `levels` are the user's words for single reasoning levels,
    which count more; a level whose word is None does not exist. A budget has at least `least` tokens and, unless `most`
    is 0, at most `most`.
    """

    way: Way = "effort"
    words: tuple[str, ...] = ()
    off: Off = "omitted"
    levels: dict[str, str | None] = field(default_factory=dict)
    least: int = 1024
    most: int = 0


class PriceTier(Record):
    """The prices of a request whose input, with the tokens of the cache, has more than `above` tokens."""

    above: int
    input: float
    output: float
    cache_read: float = 0.0
    cache_write: float = 0.0


class Price(Record):
    """US dollars per million tokens of each kind. `tiers` are the prices of long requests, in ascending order."""

    input: float
    output: float
    cache_read: float = 0.0
    cache_write: float = 0.0
    tiers: tuple[PriceTier, ...] = ()


class Model(Record):
    """A model of a provider.

    `provider` is the id of a record in `PROVIDERS`. `context_window` and `max_output` are in tokens, 0 if unknown.
    `price` is None if unknown: a cost is then unknown, never zero. `reasoning` says whether the model can think, and
    `thinking` how it is asked to; None if only the family of its id says that (`zot_provider.families`). `wire` and
    `base_url` say how this model is served, empty if its provider's record says it.
    """

    id: str
    provider: str
    name: str = ""
    context_window: int = 0
    max_output: int = 0
    reasoning: bool = False
    images: bool = True
    price: Price | None = None
    thinking: Thinking | None = None
    wire: str = ""
    base_url: str = ""
