"""`Provider`: the record of a provider."""

import re
from collections.abc import Mapping

from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.providers.sign_in import SignIn
from zot_provider.record import Record, field
from zot_provider.wire.base import Quirks


class Route(Record):
    """How a provider serves some of its models, where this differs from its other models; None for no difference.

    `models` are patterns of ids as in `fnmatch`.
    """

    models: tuple[str, ...] = ("*",)
    wire: str | None = None
    base_url: str | None = None
    quirks: Quirks | None = None


class Variable(Record):
    """A part of a base URL that the person knows, such as an account: `{name}` is replaced by the first of these
    environment variables that is set, else by `default`."""

    name: str
    env: tuple[str, ...]
    default: str = ""


class Provider(Record):
    """A company or server that serves models.

    `base_url` is the base URL of the provider's own SDK; None if only the user can know it. `wire` is a key of `WIRES`.
    `key_env` names the environment variables that may hold a key, in order of preference; `key_schemes` and `key_urls`
    have the schemes and base URLs for those whose keys are sent in another way or elsewhere. `key_optional`: it also
    works without a key. `key_prefixes` are the beginnings of its keys. `base_url_env` names the variables from which
    the provider's SDK reads another base URL, and `base_path` is the path of such a URL if it has none. `default_model`
    is used when no model is named; if None, the server is asked for its list. `listed`: whether it has such a
    list, which also shows whether a key is valid. `catalog` names the data file of models, None if only the server
    knows them. `aliases` are other names of the provider. `scheme` is its way to send a key, one of `SCHEMES`, empty
    for the way of its wire. `note` is a sentence for a person.

    `query_env` names parameters that are added to each URL, and the variables with their values; `query` has them.
    `id_host` has two regular expressions: what the group of the first finds in a model's id replaces the group of the
    second in the base URL, as the region of an ARN does.

    `routes` are for single models: the first that matches counts. `elsewhere` is for all models if the user gave
    another base URL than the provider's own: what answers there is a compatible server. `variables` are parts of the
    base URLs. `names` has the server's own names for models, by id; `names_env` names a variable that holds them in the
    form `id=name,id=name`. `account` names whose account is used without a key: that of a cloud ("aws", "google-cloud")
    or a subscription. `key_of` names a provider of the same company whose stored key it takes. `sign_in` is how a
    person signs in with an account; None if only keys are used.
    """

    id: str
    title: str
    wire: str
    base_url: str | None
    key_env: tuple[str, ...] = ()
    key_schemes: tuple[tuple[str, str], ...] = ()
    key_urls: tuple[tuple[str, str], ...] = ()
    key_optional: bool = False
    key_prefixes: tuple[str, ...] = ()
    base_url_env: tuple[str, ...] = ()
    base_path: str = ""
    default_model: str | None = None
    listed: bool = True
    catalog: str | None = None
    quirks: Quirks = field(default_factory=Quirks)
    aliases: tuple[str, ...] = ()
    scheme: str = ""
    routes: tuple[Route, ...] = ()
    elsewhere: Route | None = None
    variables: tuple[Variable, ...] = ()
    account: str = ""
    key_of: str = ""
    query_env: tuple[tuple[str, str], ...] = ()
    query: str = ""
    id_host: tuple[str, str] = ("", "")
    names_env: str = ""
    names: tuple[tuple[str, str], ...] = ()
    note: str = ""
    sign_in: SignIn | None = None

    @property
    def keyless(self) -> bool:
        """Whether it works without a key and without an account, as a server on this machine does."""
        return not self.account and (self.key_optional or not (self.key_env or self.sign_in))

    @property
    def stored_names(self) -> tuple[str, ...]:
        """The names under which a key for it may be stored; the first that is there counts."""
        return self.id, *self.aliases, *([self.key_of] if self.key_of else [])

    def serve(self, model: Model, base_url: str = "") -> "Provider":
        """Return the provider as it serves this model: with the wire, base URL and quirks for this model.

        `base_url` is the user's base URL for the provider. It counts more than that of a model or route.
        """
        served = self.at(base_url) if base_url else self
        route = next((each for each in served.routes if _matches(each, model.id)), Route())
        url = served.base_url if base_url else model.base_url or route.base_url or served.base_url
        return served.replace(
            wire=model.wire or route.wire or served.wire,
            base_url=self._address(url, model.id) if url else url,
            quirks=served.quirks if route.quirks is None else route.quirks,
        )

    def at(self, base_url: str) -> "Provider":
        """Return the provider with another base URL. If it is not its own, a compatible server answers there."""
        moved = self.replace(base_url=_with_path(base_url, self.base_path))
        if self.elsewhere is None or self._is_own(base_url):
            return moved
        there = self.elsewhere
        quirks = self.quirks if there.quirks is None else there.quirks
        return moved.replace(wire=there.wire or self.wire, quirks=quirks, routes=(), elsewhere=None)

    def fill(self, environ: Mapping[str, str], base_url: str = "") -> "Provider":
        """Return the provider with what the environment says of it: the values of its variables in its base URLs,
        unless another `base_url` is used, and the server's names of models. Raises `ConfigError` for a variable without
        a value, with the names to set."""
        own = self.replace(names=_names(environ.get(self.names_env, ""))) if self.names_env else self
        given = [f"{name}={value}" for name, each in self.query_env if (value := environ.get(each, "").strip())]
        own = own.replace(query="&".join(given)) if given else own
        return own._fill_urls(environ) if self.variables and not base_url else own

    def addressed(self, environ: Mapping[str, str]) -> bool:
        """Whether all variables of its base URLs have values."""
        return all(each.default or any(environ.get(name, "").strip() for name in each.env) for each in self.variables)

    def _fill_urls(self, environ: Mapping[str, str]) -> "Provider":
        values = {each.name: _value(self.id, each, environ) for each in self.variables}
        routes = tuple(each.replace(base_url=_fill(each.base_url, values)) for each in self.routes)
        return self.replace(base_url=_fill(self.base_url, values), routes=routes)

    def _address(self, url: str, model_id: str) -> str:
        """Return the base URL with what the model's id and the environment say of it."""
        if self.id_host[0] and (found := re.search(self.id_host[0], model_id)):
            place = re.search(self.id_host[1], url)
            url = url[: place.start(1)] + found[1] + url[place.end(1) :] if place else url
        return f"{url}{'&' if '?' in url else '?'}{self.query}" if self.query else url

    def _is_own(self, base_url: str) -> bool:
        return base_url.strip().rstrip("/").removesuffix("/v1") == (self.base_url or "").removesuffix("/v1")


def _names(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (entry.partition("=") for entry in text.split(","))
    return tuple((id.strip(), name.strip()) for id, _, name in pairs if id.strip() and name.strip())


def _with_path(url: str, path: str) -> str:
    """Return the URL with this path if it has none, or only the beginning of this path."""
    bare = url.strip().rstrip("/")
    given = bare.partition("://")[2].partition("/")[2]
    if not path or "?" in bare or not f"{path}/".startswith(f"/{given}/" if given else "/"):
        return url
    return bare.removesuffix(f"/{given}" if given else "") + path


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
