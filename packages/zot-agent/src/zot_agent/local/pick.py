"""Which model there is without being told: a key, a local server that answers, or the demo model in this process."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO, find_weights
from zot_provider.client.http import HttpClient
from zot_provider.errors import ZotError
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, record
from zot_provider.selection import environment_key

PROBE_LIMIT = 0.5
"""Seconds a local server gets to list its models."""

DEMO_WORDS = "demo model: proves the plumbing, not the quality"


@record
class Place(Record):
    """Where a local server may be: what it is called, the provider record for it, its base URL."""

    title: str
    provider: Provider
    base_url: str


@record
class Pick(Record):
    """The model to use, `why` in words for a person, and `tag` for a script.

    `model` and `base_url` are empty where the provider's own are meant. `ready` is false for a demo model that must be
    set up first.
    """

    kind: Literal["key", "server", "demo"]
    provider: Provider
    tag: str
    why: str
    model: str = ""
    base_url: str = ""
    ready: bool = True


def any_server() -> Provider:
    """The provider record for a server, or a model in this process, of which nothing is known beforehand."""
    return next(provider for provider in PROVIDERS if provider.base_url is None)


def places(environ: Mapping[str, str]) -> list[Place]:
    """Where local servers may be, in the order in which they are preferred: one that is named comes first."""
    named = environ.get("LLAMA_BASE_URL", "").strip()
    llama = Place("llama.cpp", any_server(), named or "http://127.0.0.1:8080/v1")
    known = [
        Place(provider.title, provider, provider.base_url)
        for provider in PROVIDERS
        if provider.base_url and not provider.key_env
    ]
    usual = [*known, Place("LM Studio", any_server(), "http://127.0.0.1:1234/v1")]
    return [llama, *usual] if named else [*known, llama, usual[-1]]


async def pick_model(environ: Mapping[str, str], candidates: Sequence[Place], limit: float = PROBE_LIMIT) -> Pick:
    """A key in the environment, else the first of `candidates` that answers within `limit` seconds, else the demo."""
    for provider in PROVIDERS:
        name = next((name for name in provider.key_env if environ.get(name, "").strip()), "")
        if name and environment_key(provider, environ):
            return Pick("key", provider, f"key:{provider.id}", f"{provider.title}, since {name} is set")
    answers = await asyncio.gather(*(_models(place, limit) for place in candidates))
    for place, models in zip(candidates, answers, strict=True):
        if models:
            why = f"{place.title} at {place.base_url}, model {models[0]}, since it answers and no key is set"
            return Pick("server", place.provider, f"server:{place.base_url}", why, models[0], place.base_url)
    return demo_pick("since no key is set and no local server answers")


def demo_pick(reason: str) -> Pick:
    """The demo model."""
    ready = engine_installed() and bool(find_weights(DEMO))
    tag = "demo:ready" if ready else "demo:needs-setup"
    return Pick("demo", any_server(), tag, f"the demo model in this process, {reason}", ready=ready)


async def _models(place: Place, limit: float) -> list[str]:
    """The models a server lists; none for one that is not there, or is something else."""
    client: HttpClient | None = None
    try:
        client = HttpClient(place.provider, base_url=place.base_url)
        async with asyncio.timeout(limit):
            return await client.models()
    except (ZotError, TimeoutError):
        return []
    finally:
        if client is not None:
            await client.close()
