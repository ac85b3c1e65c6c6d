"""`LocalClient`: a `Client` for models that run inside this process."""

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from zot_agent.local.prompted_client import Budget, PromptedClient
from zot_agent.local.server import LocalServer, require_engine
from zot_agent.local.weights import DEMO, find_weights
from zot_provider.client.http import Client, HttpClient
from zot_provider.errors import ConfigError
from zot_provider.events import StreamEvent
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.request import Request

_LARGER = Budget(question=4000, result=6000, answer=512, sentence=False)
"""The budget of the user's own models; a request stays within the server's context."""

_FREQUENCY_PENALTY = 0.2
"""For the demo model. Without a penalty it repeats the last word until the token limit; with a larger one it calls the
wrong tool."""


class _LoadedModel:
    """A model in memory, and the number of its unfinished answers."""

    def __init__(self, server: LocalServer, client: PromptedClient) -> None:
        self.server, self.client = server, client
        self.answers = 0


class LocalClient(Client):
    """Runs models in this process. The id of a model is the path of a GGUF file, or empty for the demo model.

    A model is loaded with the first request for it, and unloaded after a request for another model. Raises
    `ConfigError` without the extra.
    """

    def __init__(self, provider: Provider) -> None:
        require_engine()
        self._provider = provider
        self._loaded: dict[str, _LoadedModel] = {}
        self._latest = ""  # id of the last requested model, which stays loaded
        self._starting = asyncio.Lock()

    def check(self, model: Model) -> None:
        """Raise `ConfigError` if the model file, or the weights of the demo model, are missing."""
        _model_file(model.id)

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        loaded = await self._load(request.model.id)
        try:
            async with aclosing(loaded.client.stream(request)) as batches:
                async for batch in batches:
                    yield batch
        finally:
            loaded.answers -= 1
            await self._unload()

    async def close(self) -> None:
        """See `Client`. Unloads all models."""
        loaded, self._loaded = list(self._loaded.values()), {}
        for each in loaded:
            await _stop(each)

    async def _load(self, id: str) -> _LoadedModel:
        """Return the model with this id, loaded, with one more unfinished answer."""
        async with self._starting:
            self._latest = id
            if id not in self._loaded:
                await self._unload()
                server = LocalServer(_model_file(id), frequency_penalty=0.0 if id else _FREQUENCY_PENALTY)
                await server.start(self._provider)
                http = HttpClient(self._provider, key=server.key, base_url=server.base_url)
                self._loaded[id] = _LoadedModel(server, PromptedClient(http, _LARGER if id else Budget()))
            loaded = self._loaded[id]
            loaded.answers += 1
            return loaded

    async def _unload(self) -> None:
        """Unload the models without unfinished answers, except the last requested one."""
        unused = [id for id, each in self._loaded.items() if id != self._latest and not each.answers]
        for each in [self._loaded.pop(id) for id in unused]:
            await _stop(each)


async def _stop(loaded: _LoadedModel) -> None:
    await loaded.client.close()
    loaded.server.stop()


def _model_file(path: str) -> str:
    if path:
        found = os.path.abspath(os.path.expanduser(path))
        if not os.path.isfile(found):
            raise ConfigError(f"there is no model file {path!r}; --model must be the path of a GGUF file here")
        return found
    weights = find_weights(DEMO)
    if not weights:
        raise ConfigError(
            f"the demo model is not installed ({DEMO.megabytes} MB): run zot local setup, "
            "or choose a model with --model PATH.gguf or a server with --base-url http://HOST:PORT/v1"
        )
    return weights
