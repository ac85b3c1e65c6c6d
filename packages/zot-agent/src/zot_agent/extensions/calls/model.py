"""Calls about models."""

import asyncio
from contextlib import aclosing
from typing import get_args
from weakref import WeakKeyDictionary

from zot_agent.extensions.calls.call import CallAnswer, CallFailed, ExtensionCall
from zot_agent.extensions.connection import Connection
from zot_core.event_json import usage_fields
from zot_core.runtime import resolve
from zot_provider.completion import CallOptions, stream
from zot_provider.events import StreamEnd, TextDelta, UsageReport
from zot_provider.messages import Message
from zot_provider.request import Reasoning
from zot_provider.usage import Usage

_running: "WeakKeyDictionary[Connection, int]" = WeakKeyDictionary()


def get(call: ExtensionCall) -> CallAnswer:
    """Describe the model."""
    agent = call.conversation.runtime.agent
    return {
        "provider": agent.model.provider,
        "model": agent.model.id,
        "reasoning": agent.reasoning,
        "context_window": agent.model.context_window,
    }


def set(call: ExtensionCall) -> CallAnswer:
    """Continue with another model."""
    call.conversation.set_model(call.params["model"], provider=call.text("provider"))
    return get(call)


async def complete(call: ExtensionCall) -> CallAnswer:
    """Ask a model something outside of the conversation."""
    agent, limits = call.conversation.runtime.agent, call.services.limits
    reasoning = next((each for each in get_args(Reasoning) if each == call.text("reasoning", "off")), None)
    max_tokens = call.params.get("max_tokens")
    if reasoning is None or (max_tokens is not None and max_tokens <= 0):
        raise CallFailed("invalid", f"reasoning is one of {', '.join(get_args(Reasoning))}; max_tokens is more than 0")
    if not call.params["prompt"].strip():
        raise CallFailed("invalid", "prompt must not be empty")
    running = _running.get(call.connection, 0)
    if running >= limits.completions:
        raise CallFailed("busy", f"{running} model calls of this extension run already")
    model = agent.model
    if name := call.text("model"):
        model, _, level = resolve.other_model(agent.client, agent.model, name, "")
        reasoning = reasoning if level is None else level
    options: CallOptions = {"system": call.text("system"), "reasoning": reasoning, "max_tokens": max_tokens}
    options["client"] = agent.client
    text, usage, stop = "", Usage(), ""
    _running[call.connection] = running + 1
    try:
        async with asyncio.timeout(limits.completion_seconds):
            events = stream(model, call.params["prompt"], **options)
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, TextDelta):
                        text += event.delta
                        if call.flag("stream"):
                            call.progress(event.delta)
                    elif isinstance(event, UsageReport):
                        usage += event.usage
                        agent.usage += event.usage
                    elif isinstance(event, StreamEnd):
                        text, stop = Message("assistant", event.content).text, event.stop
    finally:
        _running[call.connection] -= 1
    return {"text": text, "stop": stop, "provider": model.provider, "model": model.id, "usage": usage_fields(usage)}
