"""`ExtensionClient`: the client of a provider whose requests an extension answers."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.providers.answers import open_answers
from zot_agent.extensions.providers.context import stream_frame
from zot_agent.extensions.providers.decode import AnswerDecoder
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.codec import encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.groups.providers import ProviderQuestion, ProviderResult
from zot_provider.client.repeating import RepeatingClient, mark_origin, redact
from zot_provider.client.retry import RetryPolicy
from zot_provider.credentials import Authorization, Credentials
from zot_provider.errors import ConfigError, ConnectError, ProtocolError, ProviderError, ResponseTimeout
from zot_provider.events import StreamEvent, join_deltas
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.request import Request

_ids = itertools.count(1)


class ExtensionClient(RepeatingClient):
    """Sends requests to the extension that serves `provider`, which `connect` returns when it is ready.

    `read` turns the models that it lists into records; None if it cannot be asked, so that `known` returns what
    it has registered. A call that fails because the extension has ended is repeated like any other: `connect` starts
    the extension again.
    """

    def __init__(
        self,
        provider: Provider,
        credentials: Credentials,
        connect: Callable[[], Awaitable[Connection]],
        *,
        limits: Callable[[], ExtensionLimits],
        known: Callable[[], list[Model]],
        read: Callable[[object], list[Model]] | None = None,
        retries: RetryPolicy | None = None,
    ) -> None:
        super().__init__(provider, credentials, retries)
        self._connect, self._limits, self._known, self._read = connect, limits, known, read

    def check(self, model: Model) -> None:
        self.credentials.check(self.provider)

    async def preparation(self) -> None:
        """Wait until the extension has registered: it may say that zot itself speaks to the server. What is wrong is
        said by the request."""
        with suppress(ProviderError):
            await self._connect()

    async def answer(
        self, request: Request, authorization: Authorization
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        connection, limits = await self._connect(), self._limits()
        id = f"answer-{next(_ids)}"
        # In a thread: a conversation may be long, and hold images.
        line = await asyncio.to_thread(_line, id, request, authorization.key, limits.context_bytes)
        answers, decoder = open_answers(connection, limits), AnswerDecoder()
        answer = answers.open(id)
        try:
            if connection.state != "running" or (pipes := connection.pipes) is None:
                raise ConnectError(f"extension {connection.name!r} has ended", retryable=True)
            pipes.write(line)
            while not decoder.ended:
                batch = join_deltas(decoder.feed(await answer.next()))
                if decoder.ended:
                    mark_origin(batch, request.model)
                if batch:
                    yield batch
            decoder.finish()  # raises a failure that came with other events
        finally:
            answers.close(id, cancel=not decoder.ended)

    def explain(self, error: ProviderError, request: Request, authorization: Authorization) -> ProviderError:
        text = redact(str(error), authorization.key, error.untrusted_parts)
        if error.auth and authorization.key:
            text += f"; {self.credentials.advice(self.provider, authorization.key)}"
        error.args = (self.named(text),)
        return error

    async def served_models(self) -> list[Model]:
        """Ask the extension for its models. Raises `ProviderError`, and the errors of `stream` for the key."""
        key = (await self.authorize()).key if self._read is not None else ""
        connection = await self._connect()
        if self._read is None:
            return self._known()
        frame = ProviderQuestion(f"models-{next(_ids)}", self.provider.id, "models", key)
        result = await ask(connection, frame, self._limits().provider_seconds)
        if result.error:
            raise ProtocolError(f"{self.provider.id}: {redact(result.error, key)}")
        try:
            return self._read([] if result.result is None else result.result.value.get("models"))
        except ConfigError as error:
            raise ProtocolError(f"{self.provider.id} sent a list that zot cannot read: {error}") from None

    async def close(self) -> None:
        """See `Client`. The extension runs on."""


async def ask(connection: Connection, frame: ProviderQuestion, seconds: float) -> ProviderResult:
    """Send a request and return its result. Raises `ProviderError`."""
    try:
        return await connection.request(frame, ProviderResult, seconds)
    except TimedOut as error:
        raise ResponseTimeout(str(error)) from None
    except ExtensionEnded as error:
        raise ConnectError(str(error), retryable=True) from None
    except FrameError as error:
        raise ProtocolError(f"extension {connection.name!r}: {error}") from None


def _line(id: str, request: Request, key: str, limit: int) -> bytes:
    try:
        return encode(stream_frame(id, request, key), limit=limit)
    except FrameError as error:
        too_long = ProviderError(f"the conversation is too long for an extension: {error.reason}")
        too_long.context_overflow = True
        raise too_long from None
