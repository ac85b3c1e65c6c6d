"""`LocalClient`: a model that runs inside this process, as a `Client` like any other."""

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from zot_agent.local.prompted import Budget, PromptedClient
from zot_agent.local.server import LocalServer, require_engine
from zot_agent.local.weights import DEMO, find_weights
from zot_provider.client import HttpClient
from zot_provider.errors import ConfigError
from zot_provider.events import StreamEvent
from zot_provider.request import Request
from zot_provider.vendors.spec import Vendor

_LARGER = Budget(question=4000, result=6000, answer=512, sentence=False)
"""For a model of the user's own, with which a request stays within the server's context."""

_AGAINST_LOOPS = 0.2
"""The demo model's frequency penalty. Without one its answers end in one word, said until it may write no more; with
more it lists what is a file."""


class LocalClient:
    """The model at `path` (a GGUF file), the demo model for an empty path. It is loaded with the first request.

    Raises `ConfigError` at once if the extra, the file or the demo model's weights are missing.
    """

    def __init__(self, vendor: Vendor, path: str = "") -> None:
        require_engine()
        self._vendor = vendor
        self._server = LocalServer(_model_file(path), frequency_penalty=0.0 if path else _AGAINST_LOOPS)
        self._budget = _LARGER if path else Budget()
        self._client: PromptedClient | None = None
        self._starting = asyncio.Lock()

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`."""
        async with self._starting:
            if self._client is None:
                await self._server.start(self._vendor)
                http = HttpClient(self._vendor, key=self._server.key, base_url=self._server.base_url)
                self._client = PromptedClient(http, self._budget)
        async with aclosing(self._client.stream(request)) as batches:
            async for batch in batches:
                yield batch

    async def close(self) -> None:
        """See `Client`. The model leaves memory."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()
        self._server.stop()


def _model_file(path: str) -> str:
    if path:
        found = os.path.abspath(os.path.expanduser(path))
        if not os.path.isfile(found):
            raise ConfigError(f"there is no model file {path!r}; --model takes the path of a GGUF file here")
        return found
    weights = find_weights(DEMO)
    if not weights:
        raise ConfigError(
            f"the demo model's weights are not here yet ({DEMO.megabytes} MB): run zot local setup, "
            "or name a model with --model PATH.gguf or a server with --base-url http://HOST:PORT/v1"
        )
    return weights
