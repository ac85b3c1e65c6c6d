"""`Model`: what zot knows about a model before a request."""

from zot_provider.record import Record, record


@record
class Price(Record):
    """US dollars per million tokens of each kind."""

    input: float
    output: float
    cache_read: float = 0.0
    cache_write: float = 0.0


@record
class Model(Record):
    """A model of a provider.

    `provider` is the id of a record in `PROVIDERS`. `context_window` and `max_output` are in tokens, 0 if unknown.
    `price` is None if unknown: a cost is then unknown, never zero. `efforts` are the provider's words for the reasoning
    efforts that the model accepts, such as "low" and "xhigh", empty if unknown. On the Anthropic wire, a model with
    efforts decides itself how long it thinks; a model without efforts gets a budget of tokens. `wire` and `base_url`
    say how this model is served, empty if its provider's record says it.
    """

    id: str
    provider: str
    name: str = ""
    context_window: int = 0
    max_output: int = 0
    reasoning: bool = False
    images: bool = True
    price: Price | None = None
    efforts: tuple[str, ...] = ()
    wire: str = ""
    base_url: str = ""
