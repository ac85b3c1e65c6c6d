"""`zot --list-models [SEARCH]` and `zot models`: prints the known models, and asks servers for their lists."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zot_agent.cli.verb import Json, Verb
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import open_registry, use_network
from zot_agent.host.extensions import open_providers
from zot_agent.host.options import HostOptions
from zot_agent.standard_error import print_error
from zot_core.event_json import model_fields
from zot_provider.catalog.names import search_models
from zot_provider.json_text import dump
from zot_provider.model import Model
from zot_provider.registry import LIST_LIMIT, Ask, Endpoint, Listing, ModelRegistry, Which
from zot_provider.router import RoutingClient
from zot_provider.selection import select
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width

if TYPE_CHECKING:
    from zot_agent.extensions.providers.provider_service import ServedProviders

REFRESH_LIMIT = 20.0
"""Seconds for each server to list its models when a person asks for new lists."""


def _models(words: Sequence[str] = (), *, provider: str = "", json: Json = False) -> int:
    """List the models that zot knows, or ask the servers of all providers with a key for their lists.

    refresh | SEARCH: words of the models' names
    --provider NAME: only this provider

    exit codes: 0 done, 1 no match or a server failed, 2 usage
    """
    options = HostOptions(provider=provider)
    if words == ["refresh"]:
        return _refresh(options)
    return print_models(" ".join(words), options, as_json=json)


def print_models(search: str, options: HostOptions, *, as_json: Json = False) -> int:
    """Print the models that match `search`: of the chosen provider, of the server at the base URL, or of all providers,
    one per line, or as one JSON object. Return 0, or 1 without a match. Raises `ConfigError`, and the error of a chosen
    provider."""
    registry, served = _open_registry(options)
    found = search_models(search, _list(registry, options, served).models)
    if as_json:
        sys.stdout.write(dump({"models": [model_fields(model) for model in found]}) + "\n")
        return 0 if found else 1
    rows = [_row(model) for model in found]
    columns = list(zip(*rows, strict=True))[:-1]
    widths = [max(len(cell) if cell.isascii() else width(cell) for cell in cells) for cells in columns]
    sys.stdout.write("".join(_line(row, widths) for row in rows))
    if not found:
        of = f" of {options.provider}" if options.provider else ""
        print_error(f"no model{of} matches {search!r}" if search else f"no models{of} are known")
    return 0 if found else 1


def _refresh(options: HostOptions) -> int:
    """Ask the servers of all providers with a key, or of one provider, for their lists, and print a line for each."""
    registry, served = _open_registry(options)
    listing = _list(registry, options, served, ask="always", limit=REFRESH_LIMIT)
    ready = [each.id for each in registry.providers if registry.ready(each.id)]
    for id in [options.provider] if options.provider else ready:
        count = len(registry.lists.models(id, registry.address(id)))
        if count and id not in listing.problems:
            sys.stdout.write(f"{id}: {count} models\n")
    problems = {id: error for id, error in listing.problems.items() if not registry.provider(id).keyless}
    for error in problems.values():
        print_error(str(error))
    return 1 if problems else 0


def _open_registry(options: HostOptions) -> "tuple[ModelRegistry, ServedProviders | None]":
    home = zot_home()
    settings = load_settings(home, ignore=options.ignore_settings)
    registry = open_registry(home)
    use_network(settings)
    served = open_providers(registry, options)
    for warning in [*settings.problems, *registry.warnings, *(served.problems if served is not None else ())]:
        print_error(warning)
    return registry, served


def _list(
    registry: ModelRegistry,
    options: HostOptions,
    served: "ServedProviders | None",
    *,
    ask: Ask = "unlisted",
    limit: float = LIST_LIMIT,
) -> Listing:
    """List the models of the catalogue, of the user's file, and of servers. If one provider is chosen and cannot list
    its models, its error is raised."""
    found: list[Listing] = []

    async def fetch() -> None:
        try:
            found.append(await _fetch(registry, options, ask, limit))
        finally:
            if served is not None:
                await served.close()

    # A coroutine without a result: asyncio builds the repr of one, which takes 30 ms for all models.
    run_in_loop(fetch())
    return found[0]


async def _fetch(registry: ModelRegistry, options: HostOptions, ask: Ask, limit: float) -> Listing:
    client = RoutingClient(registry)
    try:
        if not (options.provider or options.base_url):
            which: Which = "ready" if ask == "always" else "all"
            return await registry.listing(client.list_models, which=which, ask=ask, limit=limit)
        id = select(options.provider, api_key=options.api_key, base_url=options.base_url, registry=registry).provider.id
        registry.endpoints[id] = Endpoint(options.api_key, options.base_url, options.insecure)
        current = Model("", id)
        found = await registry.listing(client.list_models, which="current", current=current, ask=ask, limit=limit)
        if found.problems and not found.models:
            raise found.problems[id]
        return found
    finally:
        await client.close()


def _row(model: Model) -> list[str]:
    """Return the columns of a model: name, context, output, price, abilities."""
    name = " ".join(sanitize_line(f"{model.provider}/{model.id}").split())
    price = "price unknown"
    if model.price is not None:
        price = f"${model.price.input:g} in, ${model.price.output:g} out per million"
    able = ["reasoning"] * model.reasoning + ["images"] * model.images
    able = able if model.context_window or model.price else []  # of other models it is only assumed
    window = f"{_thousands(model.context_window)} context" if model.context_window else "context unknown"
    output = f"{_thousands(model.max_output)} output" if model.max_output else "output unknown"
    return [name, window, output, price, ", ".join(able)]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    # `ljust` is far faster than `pad`, and equal for ASCII.
    cells = [cell.ljust(size) if cell.isascii() else pad(cell, size) for cell, size in zip(row, widths, strict=False)]
    return "  ".join([*cells, row[-1]]).rstrip() + "\n"


def _thousands(tokens: int) -> str:
    return f"{tokens // 1000}k" if tokens >= 1000 else str(tokens)


run = Verb("zot models", _models)
