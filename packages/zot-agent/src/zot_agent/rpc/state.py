"""What the agent is: its state and messages, its model, its tools."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, Method
from zot_core.event_json import encode_message, usage_fields
from zot_provider.registry import Listing

if TYPE_CHECKING:
    from zot_agent.rpc.service import RpcService


def get_state(service: "RpcService", given: dict[str, Any]) -> Answer:
    """A snapshot."""
    state, conversation = service.runtime.state, service.conversation
    return {
        "provider": state.provider,
        "model": state.model,
        "cwd": state.cwd,
        "message_count": state.message_count,
        "busy": conversation.busy,
        "usage": usage_fields(state.usage),
        "reasoning": state.reasoning,
        "session_id": state.session_id,
        "queued": len(conversation.waiting),
        "tools": sorted(service.runtime.agent.tools),
    }


def get_messages(service: "RpcService", given: dict[str, Any]) -> Answer:
    """All messages."""
    return f'{{"messages":[{",".join(map(encode_message, service.runtime.messages))}]}}'


def clear(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Forget the messages."""
    service.conversation.clear()
    return None


def new_session(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Start a new session."""
    service.conversation.new_session()
    return {"session_id": service.runtime.state.session_id}


def set_model(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Continue with another model, of any provider."""
    model = service.conversation.set_model(given["model"], provider=given.get("provider", ""))
    return {"model": model.id, "provider": model.provider}


def set_reasoning(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Have the model think more, or less."""
    level = given["reasoning"]
    service.conversation.set_reasoning("max" if level == "maximum" else level)
    return {"reasoning": service.runtime.state.reasoning}


def set_tools(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Have other tools."""
    return {"tools": service.conversation.set_tools(given["tools"])}


async def get_models(service: "RpcService", given: dict[str, Any]) -> Answer:
    """The models of the current provider; those that are known where its server does not say."""
    return _listed(await service.runtime.list_models("current", limit=service.limits.models))


async def list_models_all(service: "RpcService", given: dict[str, Any]) -> Answer:
    """The models of all providers."""
    return _listed(await service.runtime.list_models("all", ask="never"))


def _listed(listing: Listing) -> Answer:
    return {
        "models": [
            {
                "id": model.id,
                "provider": model.provider,
                "name": model.name,
                "context_window": model.context_window,
                "max_output": model.max_output,
                "reasoning": model.reasoning,
                "images": model.images,
            }
            for model in listing.models
        ]
    }


_MODELS = (
    '{"models": [{"id": "claude-opus-4-5", "provider": "anthropic", "name": "Claude Opus 4.5", '
    '"context_window": 200000, "max_output": 64000, "reasoning": true, "images": true}]}'
)

METHODS = (
    Method(
        "get_state",
        get_state,
        "A snapshot. `busy` is true until the last `done`; `queued` prompts wait; `session_id` may be empty.",
        (),
        '{"provider": "anthropic", "model": "claude-opus-4-5", "cwd": "/home/pat/zot", "message_count": 12, '
        '"busy": false, "usage": {"input": 1234, "output": 567, "cache_read": 890, "cache_write": 0, '
        '"cost_usd": 0.0123, "reasoning": null}, "reasoning": "off", "session_id": "", "queued": 0, '
        '"tools": ["bash", "read"]}',
    ),
    Method(
        "get_messages",
        get_messages,
        "The whole conversation, as a person is to see it: with what extensions put in the place of text.",
        (),
        '{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}], '
        '"time": "2026-04-19T11:30:00.000Z"}]}',
    ),
    Method("clear", clear, "Forget the conversation. Refused while busy."),
    Method(
        "set_model",
        set_model,
        "Continue with another model, of any provider that there is a key for. The data has its full id and its "
        "provider. Refused while busy, and without a key: the error names the variable to set.",
        (
            CommandField("model", "string", "A model's id, the beginning of one, or PROVIDER/ID.", required=True),
            CommandField("provider", "string", "Its provider, if the client keeps the two apart."),
        ),
        '{"model": "claude-sonnet-4-5", "provider": "anthropic"}',
    ),
    Method("get_models", get_models, "The models known for the current provider.", (), _MODELS),
    Method(
        "list_models_all",
        list_models_all,
        "The models of all providers that are known without asking a server.",
        (),
        _MODELS,
    ),
    Method(
        "set_reasoning",
        set_reasoning,
        "How much the model thinks: off, minimum, low, medium, high, xhigh or max. Refused while busy.",
        (CommandField("reasoning", "string", "The level.", required=True),),
        '{"reasoning": "high"}',
    ),
    Method(
        "set_tools",
        set_tools,
        "Which built-in tools the model has; those of extensions stay. The data has all of them. Refused while busy.",
        (CommandField("tools", "strings", "The names; none for no built-in tool.", required=True),),
        '{"tools": ["read", "grep"]}',
    ),
    Method(
        "new_session",
        new_session,
        "Begin anew: no messages, no usage, and with sessions a new file. Refused while busy.",
        (),
        '{"session_id": ""}',
    ),
)
