"""`zot --list-models [SEARCH]`: the models that can be named, a line each."""

import asyncio
import sys

from zot_provider.catalog import list_models
from zot_provider.catalog.user import Known
from zot_provider.client import HttpClient
from zot_provider.errors import ZotError
from zot_provider.model import Model
from zot_provider.vendors.spec import Vendor

_LOOK = 2.0
"""Seconds a server without a catalogue gets to say what it has."""


def print_models(known: Known, search: str, provider: str) -> int:
    """Print the models whose id or name holds `search`, of one provider or all; 1 if there is none."""
    vendors = [vendor for vendor in known.vendors if provider in ("", vendor.id)]
    models = asyncio.run(_gather(vendors, known))
    wanted = search.lower()
    found = [model for model in models if wanted in f"{model.vendor}/{model.id} {model.name}".lower()]
    width = max((len(f"{model.vendor}/{model.id}") for model in found), default=0)
    for model in found:
        sys.stdout.write(f"{model.vendor}/{model.id}".ljust(width) + f"  {_facts(model)}\n")
    if not found:
        sys.stderr.write(f"zot: no model with {search!r} in its name\n" if search else "zot: no models are known\n")
    return 0 if found else 1


async def _gather(vendors: list[Vendor], known: Known) -> list[Model]:
    """The catalogues', the user's own, and what servers without a catalogue say they have."""
    listed = await asyncio.gather(*(_served(vendor) for vendor in vendors if not vendor.catalog and vendor.base_url))
    models = {(model.vendor, model.id): model for vendor in vendors for model in list_models(vendor)}
    models |= {(model.vendor, model.id): model for served in listed for model in served}
    models |= {(model.vendor, model.id): model for vendor in vendors for model in known.models.get(vendor.id, [])}
    return list(models.values())


async def _served(vendor: Vendor) -> list[Model]:
    client: HttpClient | None = None
    try:
        async with asyncio.timeout(_LOOK):
            client = HttpClient(vendor)
            return [Model(id, vendor.id) for id in await client.models()]
    except (ZotError, TimeoutError):
        return []
    finally:
        if client is not None:
            await client.close()


def _facts(model: Model) -> str:
    window = f"{model.context_window // 1000}k context" if model.context_window else "context unknown"
    price = f"${model.price.input:g} in, ${model.price.output:g} out per million" if model.price else "price unknown"
    return f"{window}, {price}{', reasons' if model.reasoning else ''}"
