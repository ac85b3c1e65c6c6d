"""The commands on the state of the agent: its messages, its model, its tools."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, cast

from zot_agent.rpc.method import CommandField, Encoded, Method
from zot_core.event_json import encode_message, model_fields, usage_fields
from zot_provider.json_text import dump
from zot_provider.registry import Listing
from zot_provider.wire.reasoning import levels, nearest_level

if TYPE_CHECKING:
    from zot_agent.operations.answers import (
        ChosenLevel,
        ChosenModel,
        ContextInfo,
        ContextPartInfo,
        MessagesInfo,
        PermissionRequestInfo,
        StateInfo,
        ToolNames,
    )
    from zot_agent.rpc.context import CommandContext
    from zot_ext.protocol.answers import ModelInfo, ModelList, UsageCount


_AT_ONCE = 200
"""Messages that are encoded before anything else is done."""


def get_state(context: "CommandContext", fields: dict[str, Any]) -> "StateInfo":
    """Return a snapshot of the state."""
    state, conversation = context.runtime.state, context.conversation
    return {
        "provider": state.provider,
        "model": state.model,
        "cwd": state.cwd,
        "message_count": state.message_count,
        "busy": conversation.busy,
        "usage": cast("UsageCount", usage_fields(state.usage)),
        "reasoning": state.reasoning,
        "reasoning_used": nearest_level(context.runtime.agent.model, state.reasoning),
        "reasoning_levels": list(levels(context.runtime.agent.model)),
        "session_id": state.session_id,
        "queued": len(conversation.waiting),
        "tools": sorted(context.runtime.agent.tools),
        "permission_mode": conversation.permissions.mode,
        "permission_requests": [
            cast("PermissionRequestInfo", {name: getattr(each, name) for name in each.__match_args__})
            for each in context.permissions.open
        ],
        "ui_requests": context.dialogs.open(),
        "sandbox": conversation.sandbox,
        "todos": [{"content": each.content, "status": each.status} for each in conversation.todos.items],
    }


def get_messages(
    context: "CommandContext", fields: dict[str, Any]
) -> "Encoded[MessagesInfo] | Awaitable[Encoded[MessagesInfo]]":
    """Return all messages, and the entries of extensions between them; at once, unless the session must be read or is
    long."""
    at_once = context.screen.entries().known and len(context.runtime.messages) <= _AT_ONCE
    return _messages(context, {}) if at_once else _many_messages(context)


async def _many_messages(context: "CommandContext") -> "Encoded[MessagesInfo]":
    messages, encoded = context.runtime.messages, dict[int, str]()
    for start in range(0, len(messages), _AT_ONCE):
        encoded |= {id(each): encode_message(each) for each in messages[start : start + _AT_ONCE]}
        await asyncio.sleep(0)
    await context.screen.entries().load()
    return _messages(context, encoded)


def _messages(context: "CommandContext", encoded: dict[int, str]) -> "Encoded[MessagesInfo]":
    """Return the answer. `encoded` has messages as JSON, by their `id()`."""
    entries = [
        {"at": at, "id": each.id, "extension": each.extension, "custom_type": each.custom_type}
        for at, each in context.screen.entries().placed()
    ]
    messages = ",".join([encoded.get(id(each)) or encode_message(each) for each in context.runtime.messages])
    more = f',"entries":{dump(entries)}' if entries else ""
    return Encoded(f'{{"messages":[{messages}]{more}}}')


async def get_context(context: "CommandContext", fields: dict[str, Any]) -> "ContextInfo":
    """Say what fills the context window."""
    from zot_core.runtime.context import context_split  # noqa: PLC0415  not needed for a prompt
    from zot_core.sessions.tree import first_line  # noqa: PLC0415  as above

    split = await asyncio.to_thread(context_split, context.runtime)
    parts: list[ContextPartInfo] = []
    for part in split.parts:
        parts.append({"kind": part.kind, "tokens": part.tokens})
        if (message := part.message) is not None:
            text = first_line(message)
            parts[-1] |= {"id": message.id, "role": message.role, "text": text, "shortened": part.changed}
    return {
        "parts": parts,
        "tokens": split.tokens,
        "window": split.window,
        "window_guessed": split.guessed,
        "usage": cast("UsageCount", usage_fields(split.usage)),
    }


def clear(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Delete all messages."""
    context.conversation.clear()


def set_model(context: "CommandContext", fields: dict[str, Any]) -> "ChosenModel":
    """Switch to another model, of any provider."""
    model = context.conversation.set_model(fields["model"], provider=fields.get("provider", ""))
    return {"model": model.id, "provider": model.provider}


def set_reasoning(context: "CommandContext", fields: dict[str, Any]) -> "ChosenLevel":
    """Set how much the model thinks."""
    level = fields["reasoning"]
    context.conversation.set_reasoning("max" if level == "maximum" else level)
    return {"reasoning": context.runtime.state.reasoning}


def set_tools(context: "CommandContext", fields: dict[str, Any]) -> "ToolNames":
    """Set the built-in tools."""
    return {"tools": context.conversation.set_tools(fields["tools"])}


async def get_models(context: "CommandContext", fields: dict[str, Any]) -> "ModelList":
    """List the models of the current provider: from its server, or the known ones if the server gives no list."""
    return _listed(await context.runtime.list_models("current", limit=context.limits.list_models_seconds))


async def list_models_all(context: "CommandContext", fields: dict[str, Any]) -> "ModelList":
    """List the models of all providers, or the models that are usable now."""
    if not fields.get("ready"):
        return _listed(await context.runtime.list_models("all", ask="never"))
    return _listed(await context.runtime.list_models(ask="stale", limit=context.limits.list_models_seconds))


def _listed(listing: Listing) -> "ModelList":
    return {"models": [cast("ModelInfo", model_fields(model)) for model in listing.models]}


METHODS = (
    Method(
        "get_state",
        get_state,
        "Return the state of the agent.",
    ),
    Method(
        "get_messages",
        get_messages,
        "Return the whole conversation with the model's own words, and the entries of extensions, which they may "
        "[draw](rpc.md#what-extensions-draw).",
    ),
    Method(
        "get_context",
        get_context,
        "Say what fills the context window: the parts of the next request in order.",
    ),
    Method("clear", clear, "Delete all messages of the conversation. Refused while busy."),
    Method(
        "set_model",
        set_model,
        "Switch to another model, of any provider with a key. Refused while busy, and without a key: the error names "
        "the variable to set.",
        (
            CommandField("model", "string", "A model's id, the beginning of one, or PROVIDER/ID.", required=True),
            CommandField("provider", "string", "The provider, if it is not part of `model`."),
        ),
    ),
    Method("get_models", get_models, "List the models of the current provider."),
    Method(
        "list_models_all",
        list_models_all,
        "List the models of all providers that are known without a request to a server.",
        (
            CommandField(
                "ready",
                "boolean",
                "Only models of providers with a key and of local servers. The current provider's come first. "
                "Servers whose lists are old are asked.",
            ),
        ),
    ),
    Method(
        "set_reasoning",
        set_reasoning,
        "Set how much the model thinks: off, minimum, low, medium, high, xhigh or max. Refused while busy.",
        (CommandField("reasoning", "string", "The level.", required=True),),
    ),
    Method(
        "set_tools",
        set_tools,
        "Set the built-in tools of the model; tools of extensions stay. Refused while busy.",
        (CommandField("tools", "strings", "The names; an empty list for no built-in tool.", required=True),),
    ),
)
