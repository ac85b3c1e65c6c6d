"""`zot --list-models [SEARCH]`: prints the known models, one per line."""

import asyncio
import sys

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.build import open_registry, use_network
from zot_agent.host.options import HostOptions
from zot_agent.standard_error import print_error
from zot_provider.model import Model
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.selection import select
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width

LIMIT = 2.0
"""Seconds for a server without a catalogue to list its models."""


def print_models(search: str, options: HostOptions) -> int:
    """Print the models whose id or name contains `search`: of the chosen provider, of the server at the base URL, or of
    all providers. Return 0, or 1 without a match. Raises `ConfigError`, and the error of a chosen provider."""
    home = zot_home()
    use_network(load_settings(home))
    registry = open_registry(home)
    for warning in registry.warnings:
        print_error(warning)
    models = asyncio.run(_list(registry, options))
    wanted = search.lower()
    found = [model for model in models if wanted in f"{model.provider}/{model.id} {model.name}".lower()]
    names = [" ".join(sanitize_line(f"{model.provider}/{model.id}").split()) for model in found]
    columns = max(map(width, names), default=0)
    for name, model in zip(names, found, strict=True):
        sys.stdout.write(f"{pad(name, columns)}  {_facts(model)}\n")
    if not found:
        of = f" of {options.provider}" if options.provider else ""
        print_error(f"no model{of} matches {search!r}" if search else f"no models{of} are known")
    return 0 if found else 1


async def _list(registry: ModelRegistry, options: HostOptions) -> list[Model]:
    """List the models of the catalogue, of the user's file, and of servers without a catalogue. If one provider is
    chosen and cannot list its models, its error is raised."""
    client = RoutingClient(registry)
    try:
        if not (options.provider or options.base_url):
            return (await registry.listing(client.models, which="all", limit=LIMIT)).models
        id = select(options.provider, api_key=options.api_key, base_url=options.base_url, registry=registry).provider.id
        registry.endpoints[id] = Endpoint(options.api_key, options.base_url, options.insecure)
        found = await registry.listing(client.models, which="current", current=Model("", id), limit=LIMIT)
        if found.problems and not found.models:
            raise found.problems[id]
        return found.models
    finally:
        await client.close()


def _facts(model: Model) -> str:
    window = f"{model.context_window // 1000}k context" if model.context_window else "context unknown"
    price = f"${model.price.input:g} in, ${model.price.output:g} out per million" if model.price else "price unknown"
    reasons = model.reasoning and model.name  # a model without a name is not in a catalogue
    return f"{window}, {price}{', reasons' if reasons else ''}"
