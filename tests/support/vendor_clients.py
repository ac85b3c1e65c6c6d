"""`CLIENTS`: how to read an answer with the client of each vendor's SDK, event by event."""

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, closing
from functools import cache
from typing import Any

import anthropic
import httpx2
import openai
from anthropic.types import ErrorResponse, RawMessageStreamEvent
from botocore import UNSIGNED
from botocore.client import BaseClient
from botocore.config import Config
from botocore.eventstream import EventStreamBuffer
from botocore.exceptions import ClientError
from botocore.model import OperationModel
from botocore.session import Session
from google import genai
from google.genai import errors as google_errors
from google.genai import types as google_types
from openai.types import ErrorObject
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from typing_extensions import TypedDict
from vendor_readers import (
    Heard,
    follow_chat,
    follow_messages,
    follow_responses,
    read_chat,
    read_converse,
    read_gemini,
    read_messages,
    read_responses,
)
from vendor_types import Check, shaped, typed
from waiting import PATIENCE

from zot_provider.record import Record
from zot_provider.testing import ScriptedServer, Turn

KEY = "a key"


@cache
def aws() -> Session:
    """The SDK of AWS, which takes long to read its descriptions."""
    return Session()


def aws_operation() -> OperationModel:
    """What the SDK knows of the operation that answers with a stream."""
    return aws().get_service_model("bedrock-runtime").operation_model("ConverseStream")


@asynccontextmanager
async def _client_of_aws(*, base_url: str, api_key: str, max_retries: int, **_: Any) -> AsyncIterator[BaseClient]:
    """Open a client that sends its key itself: the SDK sends one only over TLS."""

    def add_key(params: dict[str, Any], **_: Any) -> None:
        params["headers"]["Authorization"] = f"Bearer {api_key}"

    config = Config(signature_version=UNSIGNED, retries={"total_max_attempts": max_retries + 1}, read_timeout=PATIENCE)
    with closing(aws().create_client("bedrock-runtime", "us-east-1", endpoint_url=base_url, config=config)) as client:
        client.meta.events.register("before-call", add_key)
        yield client


def _aws_event(message: bytes) -> Any:
    """Return a message of a binary stream as the SDK does: the value by its kind."""
    buffer = EventStreamBuffer()
    buffer.add_data(message)
    (read,) = buffer
    kind = read.headers.get(":event-type") or read.headers[":exception-type"]
    return {kind: json.loads(read.payload)}


def _sse_event(event: bytes) -> Any:
    """Return the JSON of an event; None for one without JSON."""
    data = event.partition(b"data: ")[2].strip()
    return None if data == b"[DONE]" else json.loads(data)


def _chunk(event: bytes) -> Any:
    """Return a chunk as OpenAI and Google describe it: without what other vendors add. A failure is not a chunk."""
    value = _sse_event(event)
    if value is None or "error" in value:
        return None
    for choice in value.get("choices", []):
        choice["delta"].pop("reasoning_content", None)
    return value


def _client_of_google(*, base_url: str, http_client: httpx2.AsyncClient, api_key: str, max_retries: int) -> Any:
    origin, _, version = base_url.rpartition("/")
    options = google_types.HttpOptions(
        base_url=origin,
        api_version=version,
        httpx_async_client=http_client,
        retry_options=google_types.HttpRetryOptions(attempts=max_retries + 1),
    )
    return genai.Client(api_key=api_key, http_options=options).aio


class Refusal(Record):
    """An error of an SDK: the status of the answer, if it is one, the JSON, and what it says."""

    status: int | None
    body: Any
    code: str | None
    message: str


ERRORS = (anthropic.APIStatusError, openai.APIError, google_errors.APIError, ClientError)


def refusal(error: Exception) -> Refusal:
    """Return what an error says; it must be one of `ERRORS`."""
    match error:
        case anthropic.APIStatusError():
            return Refusal(error.status_code, error.body, error.type, error.api_message or "")
        case openai.APIError():
            return Refusal(getattr(error, "status_code", None), error.body, error.code, error.message)
        case google_errors.APIError():
            return Refusal(error.code, error.details["error"], error.status, error.message or "")
        case ClientError():
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            said = error.response["Error"]
            return Refusal(status, said, said["Code"], said["Message"])
    raise error


class GoogleError(TypedDict):
    """An error of the Gemini API, of which the SDK has no type."""

    code: int
    message: str
    status: str


class AwsError(TypedDict):
    """An error as the SDK of AWS reports it."""

    Code: str
    Message: str


class VendorClient(Record):
    """A client of an SDK, how to read an answer with it, and the checks of the events and of a refusal.

    `read` takes the events one by one. `follow` uses the SDK's helper, if it has one, which builds the answer and fails
    if the events are not in order; `Heard` has then no usage and no reason to stop. `signs`: thinking has a signature.
    `counts`: the tokens of the thinking are always counted. `event`: the JSON of an event. `lists`: it lists models.
    """

    client: Callable[..., Any]
    read: Callable[[Any, dict[str, Any], Heard], Awaitable[None]]
    events: Check
    refusal: Check
    follow: Callable[[Any, dict[str, Any]], Awaitable[Heard]] | None = None
    signs: bool = True
    counts: bool = False
    event: Callable[[bytes], Any] = _sse_event
    lists: bool = True

    @asynccontextmanager
    async def opened(self, base_url: str, **key: str) -> AsyncIterator[Any]:
        """Open the client, with this key if none is given. It repeats nothing."""
        http = httpx2.AsyncClient(verify=False, timeout=PATIENCE)  # no test needs certificates, which take long to load
        made = self.client(base_url=base_url, max_retries=0, http_client=http, **(key or {"api_key": KEY}))
        async with aclosing(http), made as client:
            yield client

    async def listen(self, server: ScriptedServer, wire: str, body: dict[str, Any]) -> Heard:
        """Return what the client makes of the server's next answer."""
        heard = Heard()
        async with self.opened(server.base_url(wire)) as client:
            try:
                await self.read(client, body, heard)
            except ERRORS as error:
                found = refusal(error)
                heard.failure = (found.code or "", found.message)
            if heard.failure is not None:
                gc.collect()  # Google's SDK leaves an answer open that reports a failure
                await asyncio.sleep(0)
        return heard

    def scripted(self, turn: Turn) -> Heard:
        """Return what the client must make of this turn."""
        usage = turn.usage.replace(reasoning=turn.usage.reasoning or 0) if self.counts else turn.usage
        calls = [[call.id, call.name, call.text] for call in turn.calls]
        signature = turn.signature if turn.reasoning and self.signs else ""
        return Heard(turn.text, turn.reasoning, calls, signature, turn.stop_reason, usage)


_MESSAGE_EVENT = typed(RawMessageStreamEvent | ErrorResponse)
_ANSWER = typed(google_types.GenerateContentResponse)
_AWS_EVENT = shaped(aws_operation().output_shape.members["stream"])
_OPENAI, _OPENAI_ERROR = openai.AsyncOpenAI, typed(ErrorObject)
CLIENTS = {
    "anthropic-messages": VendorClient(
        anthropic.AsyncAnthropic, read_messages, _MESSAGE_EVENT, typed(ErrorResponse), follow_messages
    ),
    "bedrock-converse": VendorClient(
        _client_of_aws, read_converse, _AWS_EVENT, typed(AwsError), event=_aws_event, lists=False
    ),
    "gemini": VendorClient(_client_of_google, read_gemini, _ANSWER, typed(GoogleError), event=_chunk),
    "openai-chat": VendorClient(
        _OPENAI, read_chat, typed(ChatCompletionChunk), _OPENAI_ERROR, follow_chat, signs=False, event=_chunk
    ),
    "openai-responses": VendorClient(
        _OPENAI, read_responses, typed(ResponseStreamEvent), _OPENAI_ERROR, follow_responses, counts=True
    ),
}
