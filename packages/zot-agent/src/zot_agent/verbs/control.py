"""The operations on what the agent does: its state, its commands, stopping, compacting and ending."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypedDict, cast

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import operation
from zot_agent.verbs.hosts import host_of
from zot_core.aio import spawn
from zot_core.event_json import usage_fields
from zot_core.events import Notice
from zot_provider.wire.reasoning import levels, nearest_level

if TYPE_CHECKING:
    from zot_ext.protocol.agent_answers import (
        CompactResult,
        ContextInfo,
        ContextPartInfo,
        KnownCommands,
        KnownSkills,
        PermissionRequestInfo,
        ReloadInfo,
        StateInfo,
        SystemText,
    )
    from zot_ext.protocol.answers import UsageCount


@operation("control.state", alias="get_state", group="control", scope="watch")
def state(caller: OperationCaller) -> "StateInfo":
    """Return the state of the agent."""
    conversation, client = caller.conversation, caller.client
    now, model = conversation.runtime.state, conversation.runtime.agent.model
    todos = conversation.todos.items if caller.may_read else ()
    return {
        "provider": now.provider,
        "model": now.model,
        "cwd": now.cwd,
        "message_count": now.message_count,
        "busy": conversation.busy,
        "usage": cast("UsageCount", usage_fields(now.usage)),
        "reasoning": now.reasoning,
        "reasoning_used": nearest_level(model, now.reasoning),
        "reasoning_levels": list(levels(model)),
        "session_id": now.session_id,
        "queued": len(conversation.waiting),
        "tools": sorted(conversation.runtime.agent.tools),
        "permission_mode": conversation.permissions.mode,
        "permission_requests": [
            cast("PermissionRequestInfo", {name: getattr(each, name) for name in each.__match_args__})
            for each in (() if client is None else client.permissions.open)
        ],
        "ui_requests": [] if client is None else client.dialogs.open(),
        "sandbox": conversation.sandbox,
        "todos": [{"content": each.content, "status": each.status} for each in todos],
    }


@operation("control.context", group="control", scope="watch")
async def context(caller: OperationCaller) -> "ContextInfo":
    """Say what fills the context window: the parts of the next request in order."""
    from zot_core.runtime.context import context_split  # noqa: PLC0415  not needed for a prompt
    from zot_core.sessions.tree import first_line  # noqa: PLC0415  as above

    split = await asyncio.to_thread(context_split, caller.conversation.runtime)
    parts: list[ContextPartInfo] = []
    for part in split.parts:
        parts.append({"kind": part.kind, "tokens": part.tokens})
        if (message := part.message) is not None:
            text = first_line(message) if caller.may_read else ""
            parts[-1] |= {"id": message.id, "role": message.role, "text": text, "shortened": part.changed}
    return {
        "parts": parts,
        "tokens": split.tokens,
        "window": split.window,
        "window_guessed": split.guessed,
        "usage": cast("UsageCount", usage_fields(split.usage)),
    }


@operation("control.system_prompt", group="control", scope="watch", needs=("conversation",))
def system_prompt(caller: OperationCaller) -> "SystemText":
    """Read the system prompt."""
    agent = caller.conversation.runtime.agent
    base = agent.full_system
    return {"text": base if agent.system_prompt is None else agent.system_prompt, "base": base}


@operation("control.abort", alias="abort", group="control", scope="drive")
def abort(caller: OperationCaller) -> None:
    """Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when idle."""
    caller.conversation.interrupt()


@operation("control.compact", alias="compact", group="control", scope="drive", waits=True)
def compact(
    caller: OperationCaller, *, instructions: str = "", wait: bool = False
) -> "CompactResult | Coroutine[Any, Any, CompactResult]":
    """Replace all but the last messages with a summary. Its events end, like the events of a prompt, with
    `compact_done` and `done`, or with `error` and `done` if it fails or there is nothing to compact.

    instructions: What the summary must keep, for the model that writes it.
    wait: Answer when it has ended; it ends with the call then.
    """
    if wait and caller.extension is not None:
        caller.extension.check_can_wait()
    queued = caller.conversation.busy
    run = caller.conversation.compact(instructions)
    found: CompactResult = {"started": True, "queued": True} if queued else {"started": True}

    async def ended() -> "CompactResult":
        try:
            return {**found, "end": await run}
        finally:
            run.cancel()  # the caller may have been cancelled

    return ended() if wait else found


@operation("control.clear", alias="clear", when="idle", scope="drive", waits=True)
def clear(caller: OperationCaller) -> "Coroutine[Any, Any, None] | None":
    """Delete all messages of the conversation. An extension may stop that, as it may stop a new session."""
    conversation = caller.conversation
    if conversation.changes.open or conversation.runtime.hooks.session_change.applies:
        return conversation.changes.make(conversation.branches.clear)
    conversation.clear()  # at once, so that a prompt may follow without waiting for the answer
    return None


@operation("control.wait_idle", group="control", scope="watch", waits=True)
async def wait_idle(caller: OperationCaller) -> None:
    """Answer when nothing runs and waits."""
    if caller.extension is not None:
        caller.extension.check_can_wait()
    await caller.conversation.idle()


@operation("control.commands", group="control", scope="watch")
async def commands(caller: OperationCaller) -> "KnownCommands":
    """List the slash commands of prompt templates, skills and extensions. A client waits until all extensions have
    registered theirs; an extension gets what is known so far."""
    conversation = caller.conversation
    await (conversation.ready() if caller.extension is None else conversation.list_templates())
    return {
        "commands": [
            {
                "name": each.name,
                "description": each.description,
                "kind": each.kind,
                "source": each.source,
                "arguments": each.arguments,
                "path": each.path,
            }
            for each in conversation.commands
        ]
    }


class CommandAction(TypedDict):
    """The result of a slash command."""

    action: str


@operation("control.run", scope="drive", waits=True)
async def run(caller: OperationCaller, name: str, *, args: str = "") -> CommandAction:
    """Run a slash command of a prompt template, a skill or an extension. Its output comes as `ext_*` events before the
    response. A prompt that it submits is started, or queued, like any other.

    name: The command, with or without its slash.
    args: What follows the name.
    """
    return {"action": await caller.conversation.run_command(name, args)}


@operation("control.skills", group="control", scope="watch")
def skills(caller: OperationCaller) -> "KnownSkills":
    """List the skills."""
    return {
        "skills": [
            {"name": each.name, "description": each.description, "path": each.path, "source": each.source}
            for each in caller.conversation.runtime.skills
        ]
    }


@operation("control.reload", group="control", scope="drive", when="command")
async def reload(caller: OperationCaller) -> "ReloadInfo | None":
    """Stop all extensions, read their manifests again and start them. Allowed while busy. An extension gets no answer:
    it is restarted too, once its command is answered, and what failed becomes notices."""
    if (extension := caller.extension) is None:
        stats = await host_of(caller).reload_extensions()
        return {"stopped": stats.stopped, "loaded": stats.loaded, "ready": stats.ready, "errors": list(stats.errors)}

    async def work() -> None:
        if await extension.answered():
            for line in await extension.services.reload():
                caller.conversation.events.notify(Notice("warn", line))

    spawn(work(), f"reload for {caller.name}")
    return None


@operation("control.shutdown", group="control", scope="own")
def shutdown(caller: OperationCaller) -> None:
    """End zot, once nothing runs and waits and the request is answered."""
    quit, extension = caller.conversation.actions.quit, caller.extension
    if quit is None:
        mode = f"the mode {caller.conversation.front_end or 'of this program'}"
        raise OperationFailed("unavailable", f"zot cannot be ended from here in {mode}")

    async def work() -> None:
        if extension is not None:
            await extension.answered()
        await caller.conversation.idle()
        quit()

    spawn(work(), "shutdown")
