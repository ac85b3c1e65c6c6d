"""How to read an answer with the client of each vendor's SDK."""

import asyncio
import json
from base64 import b64decode
from typing import Any

import anthropic
import openai
from botocore.client import BaseClient

from zot_provider.events import Stop
from zot_provider.record import Record, field
from zot_provider.usage import Usage


class Heard(Record):
    """What a client made of an answer. `calls` are the id, name and arguments of each call, `failure` has a code."""

    text: str = ""
    reasoning: str = ""
    calls: list[list[str]] = field(default_factory=list)
    signature: str = ""
    stop: Stop | None = None
    usage: Usage = field(default_factory=Usage)
    failure: tuple[str, str] | None = None


async def read_messages(client: anthropic.AsyncAnthropic, body: dict[str, Any], heard: Heard) -> None:
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


async def read_chat(client: openai.AsyncOpenAI, body: dict[str, Any], heard: Heard) -> None:
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


async def read_responses(client: openai.AsyncOpenAI, body: dict[str, Any], heard: Heard) -> None:
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


async def follow_messages(client: anthropic.AsyncAnthropic, body: dict[str, Any]) -> Heard:
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


async def follow_chat(client: openai.AsyncOpenAI, body: dict[str, Any]) -> Heard:
    async with client.chat.completions.stream(**body) as stream:
        completion = await stream.get_final_completion()
    message = completion.choices[0].message
    calls = [[call.id, call.function.name, call.function.arguments] for call in message.tool_calls or []]
    return Heard(message.content or "", getattr(message, "reasoning_content", ""), calls)


async def follow_responses(client: openai.AsyncOpenAI, body: dict[str, Any]) -> Heard:
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


async def read_gemini(client: Any, body: dict[str, Any], heard: Heard) -> None:
    config = {name: value for name, value in body.items() if name not in ("contents", "generationConfig")}
    config |= body.get("generationConfig", {})
    stream = await client.models.generate_content_stream(model="scripted", contents=body["contents"], config=config)
    async for response in stream:
        for part in response.parts or []:
            heard.signature += (part.thought_signature or b"").decode()
            if part.thought:
                heard.reasoning += part.text
            elif part.function_call:
                call = part.function_call
                heard.calls.append([call.id, call.name, json.dumps(call.args, ensure_ascii=False)])
            else:
                heard.text += part.text
        if reason := response.candidates[0].finish_reason:
            ended: Stop = "tool_use" if heard.calls else "end_turn"
            heard.stop = "length" if reason == "MAX_TOKENS" else ended
            counts = response.usage_metadata
            thought, read = counts.thoughts_token_count, counts.cached_content_token_count
            output = counts.candidates_token_count + (thought or 0)
            heard.usage = Usage(counts.prompt_token_count - read, output, read, reasoning=thought)


async def read_converse(client: BaseClient, body: dict[str, Any], heard: Heard) -> None:
    await asyncio.to_thread(_converse_blocking, client, body, heard)


def _converse_blocking(client: BaseClient, body: dict[str, Any], heard: Heard) -> None:
    for event in client.converse_stream(modelId="scripted", **body)["stream"]:
        ((kind, value),) = event.items()
        if kind == "contentBlockStart":
            call = value["start"]["toolUse"]
            heard.calls.append([call["toolUseId"], call["name"], ""])
        elif kind == "contentBlockDelta":
            delta = value["delta"]
            thought = delta.get("reasoningContent", {})
            heard.text += delta.get("text", "")
            heard.reasoning += thought.get("text", "")
            heard.signature += b64decode(thought.get("signature", "")).decode()
            if "toolUse" in delta:
                heard.calls[-1][2] += delta["toolUse"]["input"]
        elif kind == "messageStop":
            reason = value["stopReason"]
            heard.stop = "length" if reason == "max_tokens" else reason
        elif kind == "metadata":
            counts = value["usage"]
            cached = (counts["cacheReadInputTokens"], counts["cacheWriteInputTokens"])
            heard.usage = Usage(counts["inputTokens"], counts["outputTokens"], *cached)
