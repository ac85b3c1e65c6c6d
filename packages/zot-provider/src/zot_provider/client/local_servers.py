"""Details of models that Ollama, LM Studio and llama.cpp serve at their own addresses, beside the list at `/v1/models`.

Sources: "Ollama API" (`/api/show`), "LM Studio REST API" (`/api/v0/models`), and the README of llama.cpp's server
(`/props`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from zot_provider.catalog.server_list import described, llama_cpp_facts, ollama_facts, parse_list
from zot_provider.errors import ProviderError
from zot_provider.model import Model
from zot_provider.providers.spec import Provider

Ask: TypeAlias = Callable[[str, dict[str, Any] | None], Awaitable[Any]]
"""Gets the JSON document at a path of the server, or posts an object to it. Raises `ProviderError` and ValueError."""

LIMIT = 1.5
"""Seconds to wait for all of these answers."""

_MOST_SHOWN = 64
"""Models of Ollama that are asked about."""

_AT_ONCE = 8


async def complete_list(models: Sequence[Model], owner: str, provider: Provider, ask: Ask) -> list[Model]:
    """Return the models with what their server says of them; `owner` is the list's `owned_by`.

    A server that does not answer in time, or is another kind of server, changes nothing.
    """
    way = _SERVERS.get(owner)
    if way is None:
        return list(models)
    try:
        async with asyncio.timeout(LIMIT):
            return await way(models, provider, ask)
    except (TimeoutError, ProviderError, ValueError):
        return list(models)


async def _ollama(models: Sequence[Model], provider: Provider, ask: Ask) -> list[Model]:
    turns = asyncio.Semaphore(_AT_ONCE)

    async def complete(model: Model) -> Model | None:
        async with turns:
            try:
                facts = ollama_facts(await ask("/api/show", {"model": model.id}))
            except (ProviderError, ValueError):
                return model
        return None if facts is None else described(model.id, provider, facts)

    shown = await asyncio.gather(*(complete(model) for model in models[:_MOST_SHOWN]))
    return [model for model in shown if model is not None] + list(models[_MOST_SHOWN:])


async def _lm_studio(models: Sequence[Model], provider: Provider, ask: Ask) -> list[Model]:
    return parse_list(await ask("/api/v0/models", None), provider)


async def _llama_cpp(models: Sequence[Model], provider: Provider, ask: Ask) -> list[Model]:
    facts = llama_cpp_facts(await ask("/props", None))
    return [model.replace(**facts) for model in models]


_SERVERS: dict[str, Callable[[Sequence[Model], Provider, Ask], Awaitable[list[Model]]]] = {
    "library": _ollama,
    "organization_owner": _lm_studio,
    "llamacpp": _llama_cpp,
}
"""The kind of server, by the `owned_by` of its models."""
