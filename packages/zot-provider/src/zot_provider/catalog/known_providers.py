"""`KnownProviders`: the providers of zot and of the user."""

from collections.abc import Sequence

from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, field


class KnownProviders(Record):
    """The providers, and what the user's file says of them, by provider id.

    `models` are the user's models. `keys` are API keys written in the file. `discover` says whether the provider's
    server is asked for its list, if the file says so. `warnings` name what the file has without effect.
    """

    providers: Sequence[Provider] = PROVIDERS
    models: dict[str, list[Model]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    discover: dict[str, bool] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
