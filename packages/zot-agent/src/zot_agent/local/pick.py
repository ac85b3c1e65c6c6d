"""Finds a usable model: a key in the environment, else a local server, else the demo model in this process."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO, find_weights
from zot_provider.client.http import HttpClient
from zot_provider.credentials import environment_value
from zot_provider.errors import ZotError
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record

PROBE_LIMIT = 0.5
"""Seconds for a local server to list its models."""

DEMO_NOTE = "demo model: proves the plumbing, not the quality"


class ServerCandidate(Record):
    """A local server that may be running: its name, its provider record and its base URL."""

    title: str
    provider: Provider
    base_url: str


class ModelPick(Record):
    """The model to use; `why` explains the choice to a person, and `tag` names it for a script.

    An empty `model` or `base_url` means the provider's default. `ready` is False for a demo model that must be set up
    first.
    """

    kind: Literal["key", "server", "demo"]
    provider: Provider
    tag: str
    why: str
    model: str = ""
    base_url: str = ""
    ready: bool = True


def local_provider() -> Provider:
    """Return the provider record without an address: for a server at any base URL, or a model in this process."""
    return next(provider for provider in PROVIDERS if provider.base_url is None)


def server_candidates(environ: Mapping[str, str]) -> list[ServerCandidate]:
    """List the addresses of possible local servers in the order of preference: an address in a variable comes
    first."""
    named: list[ServerCandidate] = []
    usual: list[ServerCandidate] = []
    for provider in PROVIDERS:
        url = environment_value(provider.base_url_env, environ)
        if provider.keyless and provider.base_url:
            (named if url else usual).append(ServerCandidate(provider.title, provider, url or provider.base_url))
    return [*named, *usual]


async def pick_model(
    environ: Mapping[str, str], candidates: Sequence[ServerCandidate], limit: float = PROBE_LIMIT
) -> ModelPick:
    """Pick the provider of a key in the environment, else the first of `candidates` that answers within `limit`
    seconds, else the demo model."""
    for provider in PROVIDERS:
        name = next((name for name in provider.key_env if environ.get(name, "").strip()), "")
        if name and not provider.keyless:
            return ModelPick("key", provider, f"key:{provider.id}", f"{provider.title}, because {name} is set")
    answers = await asyncio.gather(*(server_models(candidate, limit) for candidate in candidates))
    for server, models in zip(candidates, answers, strict=True):
        if models:
            why = f"{server.title} at {server.base_url}, model {models[0]}, because it answers and no key is set"
            return ModelPick("server", server.provider, f"server:{server.base_url}", why, models[0], server.base_url)
    return demo_pick("because no key is set and no local server answers")


def demo_pick(reason: str) -> ModelPick:
    ready = engine_installed() and bool(find_weights(DEMO))
    tag = "demo:ready" if ready else "demo:needs-setup"
    return ModelPick("demo", local_provider(), tag, f"the demo model in this process, {reason}", ready=ready)


async def server_models(server: ServerCandidate, limit: float) -> list[str]:
    """List the models of a server; empty if there is no server, or it is not a model server."""
    client: HttpClient | None = None
    try:
        client = HttpClient(server.provider, base_url=server.base_url)
        async with asyncio.timeout(limit):
            return await client.models()
    except (ZotError, TimeoutError):
        return []
    finally:
        if client is not None:
            await client.close()
