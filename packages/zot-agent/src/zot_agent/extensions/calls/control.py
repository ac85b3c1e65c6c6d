"""Calls that act on what the agent does."""

import asyncio

from zot_agent.extensions.calls.call import Call, CallAnswer, CallFailed
from zot_core.event_json import usage_fields
from zot_core.runtime.context import context_split


async def state(call: Call) -> CallAnswer:
    """Describe what the agent does."""
    conversation, now = call.conversation, call.conversation.runtime.state
    split = await asyncio.to_thread(context_split, conversation.runtime)
    return {
        "idle": not conversation.busy,
        "queued": len(conversation.waiting),
        "messages": now.message_count,
        "provider": now.provider,
        "model": now.model,
        "reasoning": now.reasoning,
        "usage": usage_fields(now.usage),
        "context": {"tokens": split.tokens, "window": split.window},
    }


def abort(call: Call) -> CallAnswer:
    """Stop the running prompt."""
    running = call.conversation.running
    if running is not None:
        running.run.cancel()
    return {"stopped": running is not None}


async def compact(call: Call) -> CallAnswer:
    """Compact the conversation, once nothing runs."""
    _check_can_wait(call)
    run = call.conversation.compact(call.text("instructions"))
    try:
        return {"end": await run}
    finally:
        run.cancel()  # the caller may have been cancelled


async def wait_idle(call: Call) -> CallAnswer:
    """Wait until nothing runs."""
    _check_can_wait(call)
    await call.conversation.idle()
    return None


def _check_can_wait(call: Call) -> None:
    """Refuse to wait for the end of a run that waits for this extension."""
    if call.parent and call.conversation.busy and not call.parent.startswith("command-"):
        raise CallFailed("busy", "the run waits for the answer of this very handler")
