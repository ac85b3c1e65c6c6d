"""Calls that act on what the agent does."""

import asyncio
from typing import TYPE_CHECKING, cast

from zot_agent.extensions.calls.call import CallFailed, ExtensionCall
from zot_core.aio import spawn
from zot_core.event_json import usage_fields
from zot_core.events import Notice
from zot_core.machine.branch import branch
from zot_core.runtime.context import context_split
from zot_provider.wire.reasoning import nearest_level

if TYPE_CHECKING:
    from zot_ext.protocol.answers import (
        AbortResult,
        AgentStatus,
        CompactResult,
        KnownCommands,
        KnownSkills,
        SystemText,
        UsageCount,
    )


async def state(call: ExtensionCall) -> "AgentStatus":
    """Describe what the agent does, and all that a status row shows."""
    conversation, runtime = call.conversation, call.conversation.runtime
    now, title = runtime.state, "" if runtime.session is None else runtime.session.meta.title
    split = await asyncio.to_thread(context_split, runtime)
    return {
        "cwd": runtime.cwd,
        "branch": await asyncio.to_thread(branch, runtime.cwd),
        "title": title,
        "idle": not conversation.busy,
        "queued": len(conversation.waiting),
        "messages": now.message_count,
        "provider": now.provider,
        "model": now.model,
        "reasoning": now.reasoning,
        "reasoning_used": nearest_level(runtime.agent.model, now.reasoning),
        "usage": cast("UsageCount", usage_fields(now.usage)),
        "context": {"tokens": split.tokens, "window": split.window},
    }


def abort(call: ExtensionCall) -> "AbortResult":
    """Stop the running prompt."""
    running = call.conversation.running
    if running is not None:
        running.run.cancel()
    return {"stopped": running is not None}


async def compact(call: ExtensionCall) -> "CompactResult":
    """Compact the conversation, once nothing runs."""
    call.check_can_wait()
    run = call.conversation.compact(call.text("instructions"))
    try:
        return {"end": await run}
    finally:
        run.cancel()  # the caller may have been cancelled


async def wait_idle(call: ExtensionCall) -> None:
    """Wait until nothing runs."""
    call.check_can_wait()
    await call.conversation.idle()


def system_prompt(call: ExtensionCall) -> "SystemText":
    agent = call.conversation.runtime.agent
    base = agent.full_system
    return {"text": base if agent.system_prompt is None else agent.system_prompt, "base": base}


async def commands(call: ExtensionCall) -> "KnownCommands":
    """List the slash commands that are known so far."""
    await call.conversation.list_templates()
    return {
        "commands": [
            {
                "name": each.name,
                "description": each.description,
                "kind": each.kind,
                "source": each.source,
                "arguments": each.arguments,
            }
            for each in call.conversation.commands
        ]
    }


def skills(call: ExtensionCall) -> "KnownSkills":
    return {
        "skills": [
            {"name": each.name, "description": each.description, "path": each.path, "source": each.source}
            for each in call.conversation.runtime.skills
        ]
    }


def reload(call: ExtensionCall) -> None:
    """Restart all extensions, once the command is answered."""

    async def work() -> None:
        await call.connection.pending.closed(call.parent)
        if call.connection.state == "running":
            for line in await call.services.reload():
                call.conversation.events.notify(Notice("warn", line))

    spawn(work(), f"reload for {call.extension}")


def shutdown(call: ExtensionCall) -> None:
    """End zot, once it is idle."""
    quit = call.conversation.actions.quit
    if quit is None:
        raise CallFailed("unavailable", f"an extension cannot end zot in {call.mode}")

    async def work() -> None:
        await call.connection.pending.closed(call.parent)
        await call.conversation.idle()
        quit()

    spawn(work(), f"shutdown for {call.extension}")
