"""`Provider`: the record of a provider."""

from collections.abc import Mapping

from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.record import Record, field, record
from zot_provider.wire.base import Quirks


@record
class Route(Record):
    """How a provider serves some of its models, where this differs from its other models; None for no difference.

    `models` are patterns of ids as in `fnmatch`.
    """

    models: tuple[str, ...] = ("*",)
    wire: str | None = None
    base_url: str | None = None
    quirks: Quirks | None = None


@record
class Variable(Record):
    """A part of a base URL that the person knows, such as an account: `{name}` is replaced by the first of these
    environment variables that is set, else by `default`."""

    name: str
    env: tuple[str, ...]
    default: str = ""


@record
class Provider(Record):
    """A company or server that serves models.

    `base_url` is the base URL of the provider's own SDK; None if only the user can know it. `wire` is a key of `WIRES`.
    `key_env` names the environment variables that may hold a key, in order of preference; empty if no key is needed.
    `key_prefixes` are the beginnings of its keys. `base_url_env` names the variables from which the provider's SDK
    reads another base URL. `default_model` is used when no model is named; if None, the server is asked for its list.
    `catalog` names the data file of models, None if only the server knows them. `aliases` are other names of the
    provider. `scheme` is its way to send a key, one of `SCHEMES`, empty for the way of its wire.

    `routes` are for single models: the first that matches counts. `elsewhere` is for all models if the user gave
    another base URL than the provider's own: what answers there is a compatible server. `variables` are parts of the
    base URLs. `account` names the cloud whose account is used without a key ("aws", "google-cloud").
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
    aliases: tuple[str, ...] = ()
    scheme: str = ""
    routes: tuple[Route, ...] = ()
    elsewhere: Route | None = None
    variables: tuple[Variable, ...] = ()
    account: str = ""

    def serve(self, model: Model, base_url: str = "") -> "Provider":
        """Return the provider as it serves this model: with the wire, base URL and quirks for this model.

        `base_url` is the user's base URL for the provider. It counts more than that of a model or route.
        """
        elsewhere = self.elsewhere if base_url and not self._is_own(base_url) else None
        route = elsewhere or next((each for each in self.routes if _matches(each, model.id)), Route())
        return self.replace(
            wire=model.wire or route.wire or self.wire,
            base_url=base_url or model.base_url or route.base_url or self.base_url,
            quirks=self.quirks if route.quirks is None else route.quirks,
        )

    def fill(self, environ: Mapping[str, str]) -> "Provider":
        """Return the provider with the values of its variables in its base URLs. Raises `ConfigError` for a variable
        without a value, with the names to set."""
        if not self.variables:
            return self
        values = {each.name: _value(self.id, each, environ) for each in self.variables}
        routes = tuple(each.replace(base_url=_fill(each.base_url, values)) for each in self.routes)
        return self.replace(base_url=_fill(self.base_url, values), routes=routes)

    def _is_own(self, base_url: str) -> bool:
        return base_url.strip().rstrip("/").removesuffix("/v1") == (self.base_url or "").removesuffix("/v1")


def _matches(route: Route, model_id: str) -> bool:
    from fnmatch import fnmatchcase  # noqa: PLC0415  few providers have routes

    return any(fnmatchcase(model_id, pattern) for pattern in route.models)


def _value(provider_id: str, variable: Variable, environ: Mapping[str, str]) -> str:
    value = next((text for name in variable.env if (text := environ.get(name, "").strip())), variable.default)
    if not value:
        raise ConfigError(f"{provider_id} needs an address: set {' or '.join(variable.env)}")
    return value


def _fill(url: str | None, values: Mapping[str, str]) -> str | None:
    for name, value in values.items() if url else ():
        url = (url or "").replace("{" + name + "}", value)
    return url
