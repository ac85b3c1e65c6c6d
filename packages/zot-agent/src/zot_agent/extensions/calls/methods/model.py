"""The call that asks a model."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.hooks.answer_content import read_given
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.images import read_images
from zot_core.agent import user_message
from zot_core.event_json import usage_fields
from zot_core.runtime import resolve
from zot_core.sessions.rows import message_text
from zot_ext.protocol.errors import FrameError
from zot_provider.completion import CallOptions, stream
from zot_provider.events import StreamEnd, TextDelta, UsageReport
from zot_provider.messages import Block, ImageBlock, Message, ToolResultBlock
from zot_provider.request import Reasoning, ToolSpec
from zot_provider.usage import Usage

if TYPE_CHECKING:
    from zot_ext.protocol.answers import ModelAnswer, UsageCount

_running: "WeakKeyDictionary[Connection, int]" = WeakKeyDictionary()


async def complete(call: ExtensionCall) -> "ModelAnswer":
    """Ask a model something outside the conversation. The time limit of the request it is made for does not run."""
    agent, limits = call.conversation.runtime.agent, call.services.limits
    reasoning, max_tokens = cast("Reasoning", call.text("reasoning", "off")), call.params.get("max_tokens")
    messages, tools = _messages(call), _tools(call)
    running = _running.get(call.connection, 0)
    if running >= limits.completions:
        raise OperationFailed("busy", f"{running} model calls of this extension run already")
    model = agent.model
    if name := call.text("model"):
        model, _, level = resolve.other_model(agent.client, agent.model, name, "")
        reasoning = reasoning if level is None else level
    options: CallOptions = {"system": call.text("system"), "reasoning": reasoning, "max_tokens": max_tokens}
    options |= {"client": agent.client, "tools": tools}
    answer, usage, stop = Message("assistant", []), Usage(), ""
    _running[call.connection] = running + 1
    call.connection.pending.pause(call.parent)
    try:
        async with asyncio.timeout(limits.completion_seconds):
            events = stream(model, await _fitted(messages), **options)
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, TextDelta):
                        if call.flag("stream"):
                            call.progress(event.delta)
                    elif isinstance(event, UsageReport):
                        usage += event.usage
                        agent.usage += event.usage
                    elif isinstance(event, StreamEnd):
                        answer, stop = answer.replace(content=event.content), event.stop
    finally:
        call.connection.pending.resume(call.parent)
        _running[call.connection] -= 1
    return {
        "text": answer.text,
        "content": json.loads(message_text(answer))["content"],
        "stop": stop,
        "provider": model.provider,
        "model": model.id,
        "usage": cast("UsageCount", usage_fields(usage)),
    }


def _messages(call: ExtensionCall) -> Sequence[Message]:
    """Return what the model reads: `prompt` with `images`, or `messages`."""
    given, prompt = call.params.get("messages"), call.text("prompt")
    if given is None:
        if not prompt.strip():
            raise OperationFailed("invalid", "prompt must not be empty, without messages")
        return [user_message(prompt, read_images(call.params.get("images"), "images"))]
    if prompt or not given:
        raise OperationFailed("invalid", "give a prompt, or messages with at least one message")
    found = [_message(each, at) for at, each in enumerate(given)]
    if found[-1].role == "assistant":
        raise OperationFailed("invalid", "the last message must be the user's, or have results of tools")
    return found


def _tools(call: ExtensionCall) -> list[ToolSpec]:
    """Return the tools that the model may call; the extension runs them."""
    found = []
    for at, each in enumerate(call.params.get("tools") or ()):
        texts = (each.get("name"), each.get("description")) if isinstance(each, dict) else ()
        if not texts or not texts[0] or any(type(text) is not str for text in texts):
            raise OperationFailed("invalid", f"tools[{at}] needs a name and a description")
        schema = each.get("schema")
        if not isinstance(schema, dict):
            raise OperationFailed("invalid", f"tools[{at}].schema must be a JSON Schema")
        found.append(ToolSpec(each["name"], each["description"], schema))
    return found


def _message(given: Any, at: int) -> Message:
    name = f"messages[{at}]"
    if isinstance(given, dict) and "content" in given:
        try:
            return read_given(given)
        except FrameError as error:
            raise OperationFailed("invalid", f"{name}: {error}") from None
    role, text = (given.get("role"), given.get("text")) if isinstance(given, dict) else (None, None)
    if role not in ("user", "assistant") or not isinstance(text, str):
        raise OperationFailed("invalid", f"{name} needs a role, user or assistant, and a text")
    images = read_images(given.get("images"), f"{name}.images")
    if not (text.strip() or images) or (images and role != "user"):
        raise OperationFailed("invalid", f"{name} is empty, or is an answer with images")
    return user_message(text, images).replace(role=role)


async def _fitted(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages with images that models accept."""
    return [each.replace(content=[await _fitted_block(block) for block in each.content]) for each in messages]


async def _fitted_block(block: Block) -> Block:
    if isinstance(block, ToolResultBlock):
        content = [await _fitted_block(each) for each in block.content]
        return block.replace(content=content)
    if not isinstance(block, ImageBlock):
        return block
    from zot_core.images import fit  # noqa: PLC0415  few questions have images

    return await asyncio.to_thread(fit, block)
