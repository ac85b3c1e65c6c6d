"""The commands on the state of the agent: its messages, its model, its tools."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, Method
from zot_core.conversation.event_json import todo_fields
from zot_core.event_json import encode_message, model_fields, usage_fields
from zot_provider.json_text import dump
from zot_provider.registry import Listing
from zot_provider.wire.reasoning import levels, nearest_level

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext


_AT_ONCE = 200
"""Messages that are encoded before anything else is done."""


def get_state(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Return a snapshot of the state."""
    state, conversation = context.runtime.state, context.conversation
    return {
        "provider": state.provider,
        "model": state.model,
        "cwd": state.cwd,
        "message_count": state.message_count,
        "busy": conversation.busy,
        "usage": usage_fields(state.usage),
        "reasoning": state.reasoning,
        "reasoning_used": nearest_level(context.runtime.agent.model, state.reasoning),
        "reasoning_levels": list(levels(context.runtime.agent.model)),
        "session_id": state.session_id,
        "queued": len(conversation.waiting),
        "tools": sorted(context.runtime.agent.tools),
        "permission_mode": conversation.permissions.mode,
        "permission_requests": [
            {name: getattr(each, name) for name in each.__match_args__} for each in context.permissions.open
        ],
        "ui_requests": context.dialogs.open(),
        "sandbox": conversation.sandbox,
        "todos": todo_fields(conversation.todos.items),
    }


def get_messages(context: "CommandContext", fields: dict[str, Any]) -> "Answer | Awaitable[Answer]":
    """Return all messages, and the entries of extensions between them; at once, unless the session must be read or is
    long."""
    at_once = context.screen.entries().known and len(context.runtime.messages) <= _AT_ONCE
    return _messages(context, {}) if at_once else _many_messages(context)


async def _many_messages(context: "CommandContext") -> Answer:
    messages, encoded = context.runtime.messages, dict[int, str]()
    for start in range(0, len(messages), _AT_ONCE):
        encoded |= {id(each): encode_message(each) for each in messages[start : start + _AT_ONCE]}
        await asyncio.sleep(0)
    await context.screen.entries().load()
    return _messages(context, encoded)


def _messages(context: "CommandContext", encoded: dict[int, str]) -> Answer:
    """Return the answer. `encoded` has messages as JSON, by their `id()`."""
    entries = [
        {"at": at, "id": each.id, "extension": each.extension, "custom_type": each.custom_type}
        for at, each in context.screen.entries().placed()
    ]
    messages = ",".join([encoded.get(id(each)) or encode_message(each) for each in context.runtime.messages])
    more = f',"entries":{dump(entries)}' if entries else ""
    return f'{{"messages":[{messages}]{more}}}'


async def get_context(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Say what fills the context window."""
    from zot_core.runtime.context import context_split  # noqa: PLC0415  not needed for a prompt
    from zot_core.sessions.tree import first_line  # noqa: PLC0415  as above

    split = await asyncio.to_thread(context_split, context.runtime)
    parts: list[dict[str, Any]] = []
    for part in split.parts:
        parts.append({"kind": part.kind, "tokens": part.tokens})
        if (message := part.message) is not None:
            text = first_line(message)
            parts[-1] |= {"id": message.id, "role": message.role, "text": text, "shortened": part.changed}
    window = {"window": split.window, "window_guessed": split.guessed}
    return {"parts": parts, "tokens": split.tokens, **window, "usage": usage_fields(split.usage)}


def clear(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Delete all messages."""
    context.conversation.clear()
    return None


async def new_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Start a new session."""
    await context.conversation.new_session()
    return {"session_id": context.runtime.state.session_id}


def set_model(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Switch to another model, of any provider."""
    model = context.conversation.set_model(fields["model"], provider=fields.get("provider", ""))
    return {"model": model.id, "provider": model.provider}


def set_reasoning(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Set how much the model thinks."""
    level = fields["reasoning"]
    context.conversation.set_reasoning("max" if level == "maximum" else level)
    return {"reasoning": context.runtime.state.reasoning}


def set_tools(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Set the built-in tools."""
    return {"tools": context.conversation.set_tools(fields["tools"])}


async def get_models(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the models of the current provider: from its server, or the known ones if the server gives no list."""
    return _listed(await context.runtime.list_models("current", limit=context.limits.list_models_seconds))


async def list_models_all(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the models of all providers, or the models that are usable now."""
    if not fields.get("ready"):
        return _listed(await context.runtime.list_models("all", ask="never"))
    return _listed(await context.runtime.list_models(ask="stale", limit=context.limits.list_models_seconds))


def _listed(listing: Listing) -> Answer:
    return {"models": [model_fields(model) for model in listing.models]}


_MODELS = (
    '{"models": [{"id": "claude-opus-4-5", "provider": "anthropic", "name": "Claude Opus 4.5", '
    '"context_window": 200000, "max_output": 64000, "reasoning": true, '
    '"reasoning_levels": ["off", "low", "high"], "images": true, '
    '"price_input": null, "price_output": null, "price_cache_read": null, "price_cache_write": null}]}'
)

METHODS = (
    Method(
        "get_state",
        get_state,
        "Return the state of the agent. `busy` is true until the last `done`; `queued` counts waiting prompts; "
        "`reasoning_used` is the nearest level to `reasoning` that the model has, one of `reasoning_levels`; "
        "`session_id` is empty without a session file; `todos` is the list that the model keeps with the tool `todo`; "
        "`permission_requests` are the events `permission_request` that wait for an answer, `ui_requests` the events "
        "`ext_ui_request`; `sandbox` says how commands are confined: `off`, `on`, `strict`, or `lesser` where the "
        "system can do little.",
        (),
        '{"provider": "anthropic", "model": "claude-opus-4-5", "cwd": "/home/pat/zot", "message_count": 12, '
        '"busy": false, "usage": {"input": 1234, "output": 567, "cache_read": 890, "cache_write": 0, '
        '"cost_usd": 0.0123, "reasoning": null}, "reasoning": "off", "reasoning_used": "off", '
        '"reasoning_levels": ["off", "low", "medium", "high"], "session_id": "", "queued": 0, '
        '"tools": ["bash", "read"], "permission_mode": "yolo", "permission_requests": [], "ui_requests": [], '
        '"sandbox": "off", '
        '"todos": [{"content": "Fix the parser", "status": "in_progress"}]}',
    ),
    Method(
        "get_messages",
        get_messages,
        "Return the whole conversation with the model's own words. A message whose text the user does not see has "
        "`display_text`, the text in its place, or `hidden`, the reason why it is not shown. If extensions have stored "
        "entries, which they may [draw](rpc.md#what-extensions-draw), `entries` has them; `at` is the number of "
        "messages before one.",
        (),
        '{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}], '
        '"time": "2026-04-19T11:30:00.000Z"}]}',
    ),
    Method(
        "get_context",
        get_context,
        "Say what fills the context window: the parts of the next request in order, with an estimate of their tokens. "
        "`kind` is system, skills, tools or message. `window` is the size of the window, 0 if unknown, and "
        "`window_guessed` whether nobody has named it; `usage` is that of the session, whose `cache_read` are the "
        "tokens that came from the provider's cache.",
        (),
        '{"parts": [{"kind": "system", "tokens": 900}, {"kind": "message", "tokens": 1, "id": "5e1f0a9c7d2b4830", '
        '"role": "user", "text": "hi", "shortened": false}], "tokens": 901, "window": 200000, '
        '"window_guessed": false, "usage": {"input": 1234, "output": 567, "cache_read": 890, "cache_write": 0, '
        '"cost_usd": 0.0123, "reasoning": null}}',
    ),
    Method("clear", clear, "Delete all messages of the conversation. Refused while busy."),
    Method(
        "set_model",
        set_model,
        "Switch to another model, of any provider with a key. The data has the full id and the provider. Refused while "
        "busy, and without a key: the error names the variable to set.",
        (
            CommandField("model", "string", "A model's id, the beginning of one, or PROVIDER/ID.", required=True),
            CommandField("provider", "string", "The provider, if it is not part of `model`."),
        ),
        '{"model": "claude-sonnet-4-5", "provider": "anthropic"}',
    ),
    Method("get_models", get_models, "List the models of the current provider.", (), _MODELS),
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
        _MODELS,
    ),
    Method(
        "set_reasoning",
        set_reasoning,
        "Set how much the model thinks: off, minimum, low, medium, high, xhigh or max. Refused while busy.",
        (CommandField("reasoning", "string", "The level.", required=True),),
        '{"reasoning": "high"}',
    ),
    Method(
        "set_tools",
        set_tools,
        "Set the built-in tools of the model; tools of extensions stay. The data lists all tools. Refused while busy.",
        (CommandField("tools", "strings", "The names; an empty list for no built-in tool.", required=True),),
        '{"tools": ["read", "grep"]}',
    ),
    Method(
        "new_session",
        new_session,
        "Start a new session: no messages, no usage and, if sessions are stored, a new file. Refused while busy.",
        (),
        '{"session_id": ""}',
    ),
)
