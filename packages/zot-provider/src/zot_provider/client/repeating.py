"""`Client`, the base of all clients of models, and `RepeatingClient`, that of clients with a key."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing

from zot_provider.client.retry import RetryPolicy
from zot_provider.credentials import Authorization, Credentials, check_key
from zot_provider.errors import EmptyAnswer, ProviderError, StatusError
from zot_provider.events import AutoRetryStart, StreamEnd, StreamEvent, span
from zot_provider.messages import ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.request import Request

_log = logging.getLogger("zot_provider.client")
# Nothing is logged unless the program configures logging.
logging.getLogger("zot_provider").addHandler(logging.NullHandler())


class Client(ABC):
    """Answers requests with a stream of events.

    `stream` yields non-empty batches, one for each read from the network, so that a consumer wakes up once a read and
    not once a delta. The order of events is described in `zot_provider.events`. Closing the iterator (or cancelling the
    task that runs it) closes the connection at once. Failures are raised as `ProviderError`, or as `ConfigError` if the
    request could not be made.
    """

    @abstractmethod
    def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Send a request and yield the batches of the answer."""

    @abstractmethod
    async def close(self) -> None:
        """Release connections. Closing twice is harmless."""

    def preparation(self) -> Awaitable[None] | None:
        """Return what to wait for before a request, None for nothing. Afterwards the provider may have another
        client."""
        return None

    def check(self, model: Model) -> None:  # noqa: B027  optional
        """Raise `ConfigError` if no request to this model could be made. Contacts no server."""

    def alternatives(self, model: Model) -> list[str]:
        """Return models, in the form PROVIDER/ID, that a person may use if `model` fails. Contacts no server."""
        return []

    async def served_models(self) -> list[Model]:
        """Return the models that the server lists, with what it says of them; empty if there is nothing to ask. Raises
        `ProviderError`, and `ConfigError` if the server cannot be asked."""
        return []


class RepeatingClient(Client):
    """A client of one provider that asks its credentials before every call, and repeats calls that have failed."""

    def __init__(self, provider: Provider, credentials: Credentials, retries: RetryPolicy | None = None) -> None:
        self.provider, self.credentials = provider, credentials
        self._retries = retries or RetryPolicy()

    @abstractmethod
    def answer(self, request: Request, authorization: Authorization) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Send the request once and yield the batches of its answer."""

    def judge(self, error: ProviderError, request: Request, authorization: Authorization) -> None:
        """Correct what a failure says about itself, before it is decided whether the call is repeated."""

    @abstractmethod
    def explain(self, error: ProviderError, request: Request, authorization: Authorization) -> ProviderError:
        """Return the failure of a call that is not repeated, as a person reads it, without the key."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`. A failed call is repeated as the `RetryPolicy` says, also if a part of its answer has come:
        nothing of it has been done yet."""
        failures, waited, renewed = 0, 0.0, False
        while True:
            authorization = Authorization()
            try:
                authorization = await self.authorize()
                async with aclosing(self.answer(request, authorization)) as batches:
                    async for batch in batches:
                        if batch and isinstance(end := batch[-1], StreamEnd):
                            check_answer(end)
                        yield batch
            except ProviderError as error:
                key = authorization.key
                self.judge(error, request, authorization)
                if not renewed and await self._renew(error, key):
                    renewed = True
                    continue
                failures += 1
                delay = self._retries.wait(error, failures, waited)
                if delay is None:
                    raise self.explain(error, request, authorization) from error.__cause__
                reason = self.named(redact(str(error), key, error.untrusted_parts)).removesuffix("; try again")
                tries = self._retries.tries(error)
            else:
                return
            _log.info("%s; again in %s", reason, span(delay))
            waited += delay
            yield [AutoRetryStart(failures, tries, round(delay * 1000), reason)]
            await asyncio.sleep(delay)

    def named(self, text: str) -> str:
        """Return the text of a failure, which begins with the provider: that of a sign-in already does."""
        return text if text.startswith(f"{self.provider.id}: ") else f"{self.provider.id}: {text}"

    async def authorize(self) -> Authorization:
        """Return what the next request needs of the account. Raises the errors of `Credentials.authorize`."""
        authorization = await self.credentials.authorize(self.provider)
        if authorization.sign is None:
            check_key(self.provider, authorization.key)
        return authorization

    async def _renew(self, error: ProviderError, key: str) -> bool:
        """Whether there is another key after the server refused `key` with this error."""
        if not isinstance(error, StatusError) or error.status != 401 or not key:
            return False
        return (await self.credentials.authorize(self.provider, refused=key)).key != key


def check_answer(end: StreamEnd) -> None:
    """Raise `EmptyAnswer` for an answer with neither text nor a call, from which nobody would learn anything."""
    if not any(
        isinstance(block, ToolCallBlock) or (isinstance(block, TextBlock) and block.text.strip())
        for block in end.content
    ):
        raise EmptyAnswer(used_up=end.stop == "length")


def mark_origin(batch: Sequence[StreamEvent], model: Model) -> None:
    """Set the provider and the model of the reasoning in a complete answer: no other provider may receive it."""
    for event in batch:
        if isinstance(event, StreamEnd):
            for block in event.content:
                if isinstance(block, ReasoningBlock):
                    block.provider, block.model = model.provider, model.id


def redact(text: str, key: str, untrusted_parts: Sequence[str] | None = None) -> str:
    """Replace the key in those parts of `text` in which a server may have repeated it; in the whole text for None.

    A key may be a word that zot uses too (`server`), and zot's own sentences must stay intact.
    """
    if len(key) < 4:
        return text
    for part in sorted(untrusted_parts or (), key=len, reverse=True):
        if key in part:
            if part not in text:  # the text has it in another form
                return text.replace(key, "***")
            text = text.replace(part, part.replace(key, "***"))
    return text if untrusted_parts is not None else text.replace(key, "***")
