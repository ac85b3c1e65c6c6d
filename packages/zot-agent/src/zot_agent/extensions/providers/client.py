"""`ExtensionClient`: the client of a provider whose requests an extension answers."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.providers.decode import AnswerDecoder
from zot_agent.extensions.providers.offer import WIRE
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.codec import encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.groups.providers import ProviderQuestion, ProviderResult, ProviderStream
from zot_ext.protocol.raw import RawObject
from zot_provider.client.repeating import RepeatingClient, mark_origin, redact
from zot_provider.client.retry import RetryPolicy
from zot_provider.credentials import Authorization, Credentials
from zot_provider.errors import ConfigError, ConnectError, ProtocolError, ProviderError, ResponseTimeout
from zot_provider.events import StreamEvent, join_deltas
from zot_provider.json_text import dump, without_surrogates
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.request import Request
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize

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
        answers, decoder = connection.answers, AnswerDecoder()
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


def stream_frame(id: str, request: Request, api_key: str) -> ProviderStream:
    """Return the frame for a request, whose history is repaired as for every provider."""
    model = request.model
    # One message at a time, so that no call of the encoder takes long.
    messages = ",".join(dump(_message(each)) for each in normalize(request.messages, WIRE, model, Quirks()))
    system = dump(without_surrogates(request.system))
    tools = dump(
        [{"name": each.name, "description": each.description, "schema": each.schema} for each in request.tools]
    )
    context = RawObject.from_parsed(f'{{"system":{system},"messages":[{messages}],"tools":{tools}}}', {})
    options = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "reasoning": request.reasoning,
        "session_id": request.cache_key or None,
        "response_schema": request.response_schema,
        "api_key": api_key or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return ProviderStream(id, model.provider, model.id, context, RawObject.from_value(given))


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": _blocks(message.content)}


def _blocks(blocks: "Sequence[Block]") -> list[dict[str, Any]]:
    return [_block(each) for each in blocks]


def _block(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ImageBlock(mime_type, data):
            return {"type": "image", "mime_type": mime_type, "data": data}
        case ToolCallBlock(id, name, arguments):
            return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}
        case ToolResultBlock(call_id, content, is_error):
            return {"type": "tool_result", "call_id": call_id, "is_error": is_error, "content": _blocks(content)}
        case ReasoningBlock():
            opaque = {"signature": block.signature, "encrypted": block.encrypted_content}
            return {"type": "thinking", "text": block.summary} | {name: text for name, text in opaque.items() if text}
