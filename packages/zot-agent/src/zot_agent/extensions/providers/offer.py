"""`ProviderOffer`: a provider and its models, as a manifest or an extension describes them."""

from collections.abc import Mapping
from typing import Any

from zot_agent.extensions.registry import RegistrationError
from zot_provider.catalog.json_node import JsonNode
from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.catalog.user import parse_provider
from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.providers.sign_in import SignIn, SignInProgram
from zot_provider.providers.spec import Provider
from zot_provider.record import Record

WIRE = "extension"
"""The wire of a provider whose extension answers requests itself, and the mark of its reasoning."""


class ProviderOffer(Record):
    """A provider and its models. `streams`: the extension answers requests itself. `lists`: it can be asked for its
    models. `warnings` name what of the description has no effect."""

    provider: Provider
    models: list[Model]
    streams: bool
    lists: bool
    warnings: list[str]


def read_offer(
    name: str,
    config: Mapping[str, Any],
    before: Provider | None,
    environ: Mapping[str, str],
    sign_in: SignInProgram,
) -> ProviderOffer:
    """Read the description of a provider; `before` is the provider of this name that zot has. If the description is
    empty, the program says more once it runs. Raises `RegistrationError`."""
    known = KnownProviders(warnings=[])
    place = JsonNode(config, f"providers.{name}")
    try:
        streams = place.boolean("stream") or not config
        lists = place.boolean("listsModels")
        account = place.object("signIn")
        title, terms = account.text("title"), account.text("terms")
        provider = parse_provider(name, place, before, environ, known, wire=WIRE if streams else "")
    except ConfigError as error:
        raise RegistrationError(str(error)) from None
    if known.keys:
        raise RegistrationError(f"providers.{name}.apiKey: name a variable, as in $NAME; zot keeps the keys")
    models = known.models[name]
    if not config:
        provider = provider.replace(key_env=())
    if "signIn" in place:
        how = SignIn(title or provider.title, "program", terms=terms, program=sign_in)
        provider = provider.replace(sign_in=how)
    if streams:
        provider = provider.replace(listed=lists or not models)
    return ProviderOffer(provider, models, streams, lists, known.warnings)


def read_models(offer: ProviderOffer, listed: object) -> list[Model]:
    """Read the models that an extension lists. Raises `ConfigError`."""
    known = KnownProviders(warnings=[])
    place = JsonNode({"models": listed}, offer.provider.id)
    parse_provider(offer.provider.id, place, offer.provider, {}, known, wire=WIRE)
    return known.models[offer.provider.id]
