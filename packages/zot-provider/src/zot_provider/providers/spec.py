"""`Provider`: everything zot knows of a provider, as data."""

from zot_provider.record import Record, field, record
from zot_provider.wire.base import Quirks


@record
class Provider(Record):
    """A provider of models.

    `base_url` is what the provider's own SDK takes; None when only the user can know it. `wire` is a key of `WIRES`.
    `key_env` names the environment variables that may hold a key, the first one preferred; empty means that no key
    is needed. `key_prefixes` are what keys begin with. `base_url_env` names the variables that the provider's SDK takes
    another base URL from.
    `default_model` is used when none is named; None means that the server is asked for its list.
    `catalog` names the data file of models, None when only the server knows them.
    """

    id: str
    title: str
    wire: str
    base_url: str | None
    key_env: tuple[str, ...] = ()
    key_prefixes: tuple[str, ...] = ()
    base_url_env: tuple[str, ...] = ()
    default_model: str | None = None
    catalog: str | None = None
    quirks: Quirks = field(default_factory=Quirks)
