"""`CLIENTS`: how to read an answer with the client of each vendor's SDK, event by event."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import httpx2
import openai
from anthropic.types import ErrorResponse, RawMessageStreamEvent
from openai.types import ErrorObject
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent

from zot_provider.events import Stop
from zot_provider.record import Record, field, record
from zot_provider.testing import ScriptedServer, Turn
from zot_provider.usage import Usage

KEY = "a key"


@record
class Heard(Record):
    """What a client made of an answer. `calls` are the id, name and arguments of each call, `failure` has a code."""

    text: str = ""
    reasoning: str = ""
    calls: list[list[str]] = field(default_factory=list)
    signature: str = ""
    stop: Stop | None = None
    usage: Usage = field(default_factory=Usage)
    failure: tuple[str, str] | None = None


async def _messages(client: anthropic.AsyncAnthropic, body: dict[str, Any], heard: Heard) -> None:
    async for event in await client.messages.create(**body):
        if event.type == "message_start":
            counts = event.message.usage
            cached = (counts.cache_read_input_tokens, counts.cache_creation_input_tokens)
            heard.usage = Usage(counts.input_tokens, 0, *cached)
        elif event.type == "content_block_start" and event.content_block.type == "tool_use":
            heard.calls.append([event.content_block.id, event.content_block.name, ""])
        elif event.type == "content_block_delta":
            _messages_delta(event.delta, heard)
        elif event.type == "message_delta":
            details = event.usage.output_tokens_details
            thought = details.thinking_tokens if details else None
            heard.usage = heard.usage.replace(output=event.usage.output_tokens, reasoning=thought)
            heard.stop = "length" if event.delta.stop_reason == "max_tokens" else event.delta.stop_reason


def _messages_delta(delta: Any, heard: Heard) -> None:
    if delta.type == "text_delta":
        heard.text += delta.text
    elif delta.type == "thinking_delta":
        heard.reasoning += delta.thinking
    elif delta.type == "signature_delta":
        heard.signature += delta.signature
    elif delta.type == "input_json_delta":
        heard.calls[-1][2] += delta.partial_json


_CHAT_STOPS: dict[str, Stop] = {"stop": "end_turn", "tool_calls": "tool_use", "length": "length"}


async def _chat(client: openai.AsyncOpenAI, body: dict[str, Any], heard: Heard) -> None:
    async for chunk in await client.chat.completions.create(**body):
        for choice in chunk.choices:
            heard.text += choice.delta.content or ""
            heard.reasoning += getattr(choice.delta, "reasoning_content", "")  # an addition of other vendors
            for call in choice.delta.tool_calls or []:
                if call.id:
                    heard.calls.append([call.id, call.function.name, ""])
                heard.calls[call.index][2] += call.function.arguments
            if choice.finish_reason:
                heard.stop = _CHAT_STOPS[choice.finish_reason]
        if chunk.usage:
            prompt, details = chunk.usage.prompt_tokens_details, chunk.usage.completion_tokens_details
            cached = (prompt.cached_tokens, prompt.cache_write_tokens)
            thought = details.reasoning_tokens if details else None
            rest = chunk.usage.prompt_tokens - sum(cached)
            heard.usage = Usage(rest, chunk.usage.completion_tokens, *cached, reasoning=thought)


async def _responses(client: openai.AsyncOpenAI, body: dict[str, Any], heard: Heard) -> None:
    """Read the deltas, and compare what they make with the items as they end and with the last event."""
    ended: list[Any] = []
    final: Any = None
    async for event in await client.responses.create(**body):
        if event.type == "response.output_text.delta":
            heard.text += event.delta
        elif event.type == "response.reasoning_summary_text.delta":
            heard.reasoning += event.delta
        elif event.type == "response.output_item.added" and event.item.type == "function_call":
            heard.calls.append([event.item.call_id, event.item.name, ""])
        elif event.type == "response.function_call_arguments.delta":
            heard.calls[-1][2] += event.delta
        elif event.type == "response.output_item.done":
            ended.append(event.item)
        elif event.type in ("response.completed", "response.incomplete", "response.failed"):
            final = event.response
    if final.error:
        heard.failure = (final.error.code, final.error.message)
        return
    thoughts = [item for item in ended if item.type == "reasoning"]
    assert final.output == ended
    assert final.output_text == heard.text
    assert "".join(part.text for item in thoughts for part in item.summary) == heard.reasoning
    assert [[item.call_id, item.name, item.arguments] for item in ended if item.type == "function_call"] == heard.calls
    heard.signature = "".join(item.encrypted_content for item in thoughts)
    cut = final.incomplete_details and final.incomplete_details.reason == "max_output_tokens"
    heard.stop = "length" if cut else "tool_use" if heard.calls else "end_turn"
    counts, details = final.usage, final.usage.input_tokens_details
    cached = (details.cached_tokens, details.cache_write_tokens)
    thought = counts.output_tokens_details.reasoning_tokens
    heard.usage = Usage(counts.input_tokens - sum(cached), counts.output_tokens, *cached, reasoning=thought)


async def _follow_messages(client: anthropic.AsyncAnthropic, body: dict[str, Any]) -> Heard:
    async with client.messages.stream(**body) as stream:
        message = await stream.get_final_message()
    heard = Heard()
    for block in message.content:
        if block.type == "text":
            heard.text += block.text
        elif block.type == "thinking":
            heard.reasoning += block.thinking
            heard.signature += block.signature
        elif block.type == "tool_use":
            heard.calls.append([block.id, block.name, json.dumps(block.input)])
    return heard


async def _follow_chat(client: openai.AsyncOpenAI, body: dict[str, Any]) -> Heard:
    async with client.chat.completions.stream(**body) as stream:
        completion = await stream.get_final_completion()
    message = completion.choices[0].message
    calls = [[call.id, call.function.name, call.function.arguments] for call in message.tool_calls or []]
    return Heard(message.content or "", getattr(message, "reasoning_content", ""), calls)


async def _follow_responses(client: openai.AsyncOpenAI, body: dict[str, Any]) -> Heard:
    async with client.responses.stream(**body) as stream:
        response = await stream.get_final_response()
    heard = Heard(response.output_text)
    for item in response.output:
        if item.type == "reasoning":
            heard.reasoning += "".join(part.text for part in item.summary)
            heard.signature += item.encrypted_content
        elif item.type == "function_call":
            heard.calls.append([item.call_id, item.name, item.arguments])
    return heard


@record
class VendorClient(Record):
    """A client of an SDK, how to read an answer with it, and the types of the events and of a refusal.

    `read` takes the events one by one. `follow` uses the SDK's helper, which builds the answer and fails if the events
    are not in order; `Heard` has then no usage and no reason to stop. `signs`: thinking has a signature. `counts`: the
    tokens of the thinking are always counted.
    """

    client: Callable[..., Any]
    read: Callable[[Any, dict[str, Any], Heard], Awaitable[None]]
    follow: Callable[[Any, dict[str, Any]], Awaitable[Heard]]
    events: Any
    refusal: Any
    signs: bool = True
    counts: bool = False

    @asynccontextmanager
    async def opened(self, base_url: str, **key: str) -> AsyncIterator[Any]:
        """Open the client, with this key if none is given. It repeats nothing."""
        http = httpx2.AsyncClient(verify=False, timeout=60)  # no test needs certificates, which take long to load
        async with self.client(
            base_url=base_url, max_retries=0, http_client=http, **(key or {"api_key": KEY})
        ) as client:
            yield client

    async def listen(self, server: ScriptedServer, wire: str, body: dict[str, Any]) -> Heard:
        """Return what the client makes of the server's next answer."""
        heard = Heard()
        async with self.opened(server.base_url(wire)) as client:
            try:
                await self.read(client, body, heard)
            except anthropic.APIStatusError as error:
                heard.failure = (error.type, error.body["error"]["message"])
            except openai.APIError as error:
                heard.failure = (error.code, error.message)
        return heard

    def scripted(self, turn: Turn) -> Heard:
        """Return what the client must make of this turn."""
        usage = turn.usage.replace(reasoning=turn.usage.reasoning or 0) if self.counts else turn.usage
        calls = [[call.id, call.name, call.text] for call in turn.calls]
        signature = turn.signature if turn.reasoning and self.signs else ""
        return Heard(turn.text, turn.reasoning, calls, signature, turn.stop_reason, usage)


_OPENAI = openai.AsyncOpenAI
CLIENTS = {
    "anthropic-messages": VendorClient(
        anthropic.AsyncAnthropic, _messages, _follow_messages, RawMessageStreamEvent | ErrorResponse, ErrorResponse
    ),
    "openai-chat": VendorClient(_OPENAI, _chat, _follow_chat, ChatCompletionChunk, ErrorObject, signs=False),
    "openai-responses": VendorClient(
        _OPENAI, _responses, _follow_responses, ResponseStreamEvent, ErrorObject, counts=True
    ),
}
