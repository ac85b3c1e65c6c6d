"""Which vendor, model and credential a person means."""

import os
from collections.abc import Mapping

from zot_provider.catalog import find_model, resolve_model
from zot_provider.catalog.user import Known
from zot_provider.errors import MissingKey, UnknownName
from zot_provider.model import Model
from zot_provider.record import Record, record
from zot_provider.vendors import VENDORS
from zot_provider.vendors.spec import Vendor


@record
class Selection(Record):
    """A vendor, one of its models, the key to use and where to ask. `model.id` is empty where only the server knows
    its models; `key` is empty where there is none, `base_url` where the vendor's own is meant."""

    vendor: Vendor
    model: Model
    key: str = ""
    base_url: str = ""


def select(
    provider: str = "",
    model: str = "",
    *,
    api_key: str = "",
    base_url: str = "",
    environ: Mapping[str, str] | None = None,
    known: Known | None = None,
    preferred: str = "",
) -> Selection:
    """Make sense of what was given; every argument may be empty. `known`: the vendors there are, with the user's own.

    `model` may name its vendor (`anthropic/claude-sonnet-4-5`). Without a vendor it is the one whose catalogue has the
    model (among several the order is that of what follows), else the `preferred` one, else the first one with a key in
    the environment, else, if there is a base URL, any OpenAI-like server. The key is `api_key`, else the vendor's
    environment variable, and so is the base URL. With a base URL every model name is taken as it is: a server behind
    one has its own names, and those of a vendor without a catalogue may hold slashes (`meta/llama`). Raises
    `UnknownName`, also for a vendor before a slash that nobody knows, and `MissingKey`.
    """
    env = os.environ if environ is None else environ
    known = known or Known()
    head, slash, rest = model.partition("/")
    if slash and any(vendor.id == head for vendor in known.vendors) and provider in ("", head):
        provider, model, slash = head, rest, ""
    foreign = head if slash and not provider else ""
    try:
        vendor = _find(provider, known) if provider else _guess(model, base_url, env, known, preferred)
    except MissingKey:
        if foreign and _near(foreign, known):  # mistyped, rather than a model of a server that is yet to be named
            raise _unlisted(foreign, known) from None
        raise
    key = api_key or _first(vendor.key_env, env)
    base_url = base_url or _first(vendor.base_url_env, env)
    own = known.models.get(vendor.id, [])
    name = model or vendor.default_model or (own[0].id if own else "")
    found = next((each for each in own if each.id == name), None) or (find_model(vendor, name) if name else None)
    if found is None and name and not base_url and vendor in VENDORS:
        if foreign and vendor.catalog:  # no model of a catalogue has a slash in its name
            raise _unlisted(foreign, known)
        found = resolve_model(vendor, name, strict=True)
    # Nobody knows whether an unknown model reasons: whoever asks for an effort is taken at their word.
    return Selection(vendor, found or Model(name, vendor.id, reasoning=True), key, base_url)


def environment_key(vendor: Vendor, environ: Mapping[str, str]) -> str:
    """The vendor's key in the environment, empty if there is none."""
    return _first(vendor.key_env, environ)


def _first(names: tuple[str, ...], environ: Mapping[str, str]) -> str:
    """The first of these variables that is set and not blank."""
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _find(id: str, known: Known) -> Vendor:
    for vendor in known.vendors:
        if vendor.id == id:
            return vendor
    raise UnknownName.among("provider", id, [vendor.id for vendor in known.vendors])


def _unlisted(head: str, known: Known) -> UnknownName:
    """The error for what stands before the slash in a model's name, and is no provider."""
    ids = [vendor.id for vendor in known.vendors]
    hint = "(zot --list-models tells what can be named)"
    if _near(head, known):
        return UnknownName.among("provider", head, ids, hint)
    return UnknownName(f"unknown provider {head!r}; known: {', '.join(ids)} {hint}")


def _near(id: str, known: Known) -> bool:
    """Whether a name is that of a provider but for a letter or two."""
    import difflib  # noqa: PLC0415  only a mistake pays for it

    return bool(difflib.get_close_matches(id, [vendor.id for vendor in known.vendors], n=1, cutoff=0.75))


def _guess(model: str, base_url: str, environ: Mapping[str, str], known: Known, preferred: str) -> Vendor:
    liked = [vendor for vendor in known.vendors if vendor.id == preferred]
    liked += [vendor for vendor in known.vendors if environment_key(vendor, environ)]
    if model:
        for vendor in [*liked, *known.vendors]:
            own = known.models.get(vendor.id, [])
            if any(each.id == model for each in own) or find_model(vendor, model) is not None:
                return vendor
    if liked:
        return liked[0]
    if base_url:
        return next(vendor for vendor in known.vendors if vendor.base_url is None)
    names = list(dict.fromkeys(name for vendor in known.vendors for name in vendor.key_env))
    free = [vendor.id for vendor in known.vendors if not vendor.key_env and vendor.base_url]
    raise MissingKey(
        f"no API key found: set {' or '.join(names)}, or name a server that needs none (--provider {' or '.join(free)})"
    )
