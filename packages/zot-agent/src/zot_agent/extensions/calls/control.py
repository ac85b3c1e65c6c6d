"""Calls that act on what the agent does."""

import asyncio

from zot_agent.extensions.calls.call import CallAnswer, CallFailed, ExtensionCall
from zot_core.conversation.commands import read_command
from zot_core.event_json import usage_fields
from zot_core.runtime.context import context_split


async def state(call: ExtensionCall) -> CallAnswer:
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


def abort(call: ExtensionCall) -> CallAnswer:
    """Stop the running prompt."""
    running = call.conversation.running
    if running is not None:
        running.run.cancel()
    return {"stopped": running is not None}


async def compact(call: ExtensionCall) -> CallAnswer:
    """Compact the conversation, once nothing runs."""
    _check_can_wait(call)
    run = call.conversation.compact(call.text("instructions"))
    try:
        return {"end": await run}
    finally:
        run.cancel()  # the caller may have been cancelled


async def wait_idle(call: ExtensionCall) -> CallAnswer:
    """Wait until nothing runs."""
    _check_can_wait(call)
    await call.conversation.idle()
    return None


def _check_can_wait(call: ExtensionCall) -> None:
    """Refuse to wait for the end of a run that waits for this extension."""
    conversation, running = call.conversation, call.conversation.running
    if not call.parent or running is None:
        return
    typed = read_command(running.text)  # a command runs as a prompt, or beside the prompts
    command = None if typed is None else conversation.find_command(typed[0])
    own = command is not None and command.source == call.extension
    if own or not call.parent.startswith("command-"):
        raise CallFailed("busy", "the run waits for the answer of this very handler")
