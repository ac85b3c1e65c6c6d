"""`zot --list-models [SEARCH]`: the models that can be named, a line each."""

import asyncio
import sys

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.build import known_models, open_client, use_proxy
from zot_agent.host.options import Options
from zot_agent.modes.output import complain
from zot_provider.catalog import list_models
from zot_provider.catalog.user import Known
from zot_provider.client import HttpClient
from zot_provider.errors import ResponseTimeout, ZotError
from zot_provider.model import Model
from zot_provider.selection import Selection, select
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width

LOOK = 2.0
"""Seconds a server without a catalogue gets to say what it has."""


def print_models(search: str, options: Options) -> int:
    """Print the models whose id or name holds `search`: of one provider, of the server at a base URL, or all; 1 if
    there is none. Raises `ConfigError`, and what the one server that was asked for fails with."""
    home = zot_home()
    use_proxy(load_settings(home))
    models = asyncio.run(_gather(known_models(home), options))
    wanted = search.lower()
    found = [model for model in models if wanted in f"{model.vendor}/{model.id} {model.name}".lower()]
    names = [" ".join(sanitize_line(f"{model.vendor}/{model.id}").split()) for model in found]
    columns = max(map(width, names), default=0)
    for name, model in zip(names, found, strict=True):
        sys.stdout.write(f"{pad(name, columns)}  {_facts(model)}\n")
    if not found:
        of = f" of {options.provider}" if options.provider else ""
        complain(f"no model{of} has {search!r} in its name" if search else f"no models{of} are known")
    return 0 if found else 1


async def _gather(known: Known, options: Options) -> list[Model]:
    """The catalogues', the user's own, and what servers without a catalogue say they have."""
    if options.provider or options.base_url:
        chosen = select(options.provider, api_key=options.api_key, base_url=options.base_url, known=known)
        return await _models(chosen, known, options, alone=True)
    each = [_models(select(vendor.id, known=known), known, options) for vendor in known.vendors]
    return [model for models in await asyncio.gather(*each) for model in models]


async def _models(chosen: Selection, known: Known, options: Options, *, alone: bool = False) -> list[Model]:
    """The models of one vendor. Only where they were asked for `alone` is it a failure that none can be had."""
    vendor = chosen.vendor
    own = known.models.get(vendor.id, [])
    models = {} if options.base_url else {model.id: model for model in list_models(vendor)}
    if options.base_url or (not vendor.catalog and vendor.base_url):
        try:
            models |= {id: Model(id, vendor.id) for id in await _served(chosen, options)}
        except ZotError:
            if alone and not own:
                raise
    models |= {model.id: model for model in own}
    return list(models.values())


async def _served(chosen: Selection, options: Options) -> list[str]:
    client = open_client(chosen, options)
    try:
        assert isinstance(client, HttpClient)  # there is an address
        async with asyncio.timeout(LOOK):
            return await client.models()
    except TimeoutError:
        raise ResponseTimeout(f"{chosen.vendor.id}: no list of models came within {LOOK:g} s") from None
    finally:
        await client.close()


def _facts(model: Model) -> str:
    window = f"{model.context_window // 1000}k context" if model.context_window else "context unknown"
    price = f"${model.price.input:g} in, ${model.price.output:g} out per million" if model.price else "price unknown"
    return f"{window}, {price}{', reasons' if model.reasoning else ''}"
