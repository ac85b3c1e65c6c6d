"""`Provider`: the record of a provider."""

from zot_provider.record import Record, field, record
from zot_provider.wire.base import Quirks


@record
class Provider(Record):
    """A company or server that serves models.

    `base_url` is the base URL of the provider's own SDK; None if only the user can know it. `wire` is a key of `WIRES`.
    `key_env` names the environment variables that may hold a key, in order of preference; empty if no key is needed.
    `key_prefixes` are the beginnings of its keys. `base_url_env` names the variables from which the provider's SDK
    reads another base URL. `default_model` is used when no model is named; if None, the server is asked for its list.
    `catalog` names the data file of models, None if only the server knows them.
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
