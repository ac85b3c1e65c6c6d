"""`Client`: the one method through which zot talks to a model, whoever answers."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from zot_provider.request import Request
from zot_provider.stream import StreamEvent


class Client(Protocol):
    """Something that answers requests with a stream of events.

    `stream` yields non-empty batches, one for each read from the network, so that a consumer pays for a wake-up once a
    read and not once a delta. The order of events is that of `zot_provider.stream`. Closing the iterator (or cancelling
    the task that runs it) closes the connection at once. Failures are raised as `ProviderError`.
    """

    def stream(self, request: Request) -> AsyncIterator[Sequence[StreamEvent]]:
        """Ask the model; the batches of its answer."""
        ...

    async def close(self) -> None:
        """Release connections. Closing twice is harmless."""
        ...
