"""What the agent is: its state and messages, its model, its tools."""

import asyncio
from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandRefused, Field, Method
from zot_core.event_json import encode_message, usage_fields
from zot_core.state import OtherVendor
from zot_provider.errors import ProviderError
from zot_provider.model import Model

if TYPE_CHECKING:
    from zot_agent.rpc.service import Service


def get_state(service: "Service", given: dict[str, Any]) -> Answer:
    """A snapshot."""
    state = service.runtime.state
    return {
        "provider": state.provider,
        "model": state.model,
        "cwd": state.cwd,
        "message_count": state.message_count,
        "busy": service.work.busy,
        "usage": usage_fields(state.usage),
        "reasoning": state.reasoning,
        "session_id": state.session_id,
        "queued": service.work.waiting,
        "tools": sorted(service.runtime.agent.tools),
    }


def get_messages(service: "Service", given: dict[str, Any]) -> Answer:
    """All messages."""
    return f'{{"messages":[{",".join(map(encode_message, service.runtime.messages))}]}}'


def clear(service: "Service", given: dict[str, Any]) -> Answer:
    """Forget the messages."""
    _check_idle(service)
    service.runtime.clear()
    return None


def new_session(service: "Service", given: dict[str, Any]) -> Answer:
    """Begin anew."""
    _check_idle(service)
    service.runtime.new_session()
    session = service.runtime.session
    _tell_children(
        service,
        ZOT_SESSION_ID=session.meta.id if session else "",
        ZOT_SESSION_FILE=session.path if session else "",
    )
    return {"session_id": service.runtime.state.session_id}


def set_model(service: "Service", given: dict[str, Any]) -> Answer:
    """Go on with another model of the same vendor."""
    _check_idle(service)
    runtime, name = service.runtime, given["model"].strip()
    vendor = runtime.agent.model.vendor
    provider = given.get("provider", vendor)
    if provider != vendor:
        raise CommandRefused(_relaunch(name, provider))
    try:
        runtime.set_model(_own(name.removeprefix(f"{vendor}/"), vendor) or name)
    except OtherVendor as error:
        raise CommandRefused(_relaunch(name, error.vendor)) from None
    _tell_children(service, ZOT_MODEL=runtime.agent.model.id)
    return {"model": runtime.agent.model.id}


def _own(name: str, vendor: str) -> Model | None:
    """The user's own model of this name, if `models.json` has one."""
    return next((model for model in _known().models.get(vendor, []) if model.id == name), None)


def _known() -> Any:
    from zot_agent.config.paths import zot_home  # noqa: PLC0415
    from zot_agent.host.build import known_models  # noqa: PLC0415

    return known_models(zot_home())


def _relaunch(name: str, provider: str) -> str:
    return f"{name!r} is a model of {provider}: relaunch zot rpc with --provider {provider}"


def set_reasoning(service: "Service", given: dict[str, Any]) -> Answer:
    """Have the model think more, or less."""
    _check_idle(service)
    level = given["reasoning"]
    service.runtime.set_reasoning("max" if level == "maximum" else level)
    reasoning = service.runtime.state.reasoning
    _tell_children(service, ZOT_REASONING_LEVEL=reasoning)
    return {"reasoning": reasoning}


def set_tools(service: "Service", given: dict[str, Any]) -> Answer:
    """Have other tools."""
    _check_idle(service)
    service.runtime.set_tools(given["tools"])
    return {"tools": sorted(service.runtime.agent.tools)}


async def get_models(service: "Service", given: dict[str, Any]) -> Answer:
    """The models of the vendor, those of the user among them; the current one alone where its server does not say."""
    runtime = service.runtime
    current = runtime.agent.model
    try:
        async with asyncio.timeout(service.limits.models):
            found = await runtime.list_models()
    except (ProviderError, TimeoutError):
        found = [current] if current.id else []
    return _listed([*found, *_known().models.get(current.vendor, [])])


async def list_models_all(service: "Service", given: dict[str, Any]) -> Answer:
    """The models of all vendors."""
    return _listed(await asyncio.to_thread(_all_models))


def _all_models() -> list[Model]:
    from zot_provider.catalog import list_models  # noqa: PLC0415

    known = _known()
    return [model for vendor in known.vendors for model in (*list_models(vendor), *known.models.get(vendor.id, []))]


def _listed(models: list[Model]) -> Answer:
    """What stands later counts: the user knows better than the catalogue."""
    last = {(model.vendor, model.id): model for model in models}
    return {
        "models": [
            {
                "id": model.id,
                "provider": model.vendor,
                "name": model.name,
                "context_window": model.context_window,
                "max_output": model.max_output,
                "reasoning": model.reasoning,
                "images": model.images,
            }
            for model in last.values()
        ]
    }


def _check_idle(service: "Service") -> None:
    if service.work.busy:
        raise CommandRefused("the agent is busy; wait for done, or abort")


def _tell_children(service: "Service", **variables: str) -> None:
    """Have programs that tools start know of a change; the names are those of `zot_agent.host.build`."""
    service.runtime.agent.context.env.update(variables)


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
        "Go on with another model of the same provider; the data has its full id. Refused while busy.",
        (
            Field("model", "string", "A model's id, the beginning of one, or PROVIDER/ID.", required=True),
            Field("provider", "string", "Its provider, if the client keeps the two apart."),
        ),
        '{"model": "claude-sonnet-4-5"}',
    ),
    Method("get_models", get_models, "The models known for the current provider.", (), _MODELS),
    Method(
        "list_models_all",
        list_models_all,
        "The models of all providers; another one needs another process.",
        (),
        _MODELS,
    ),
    Method(
        "set_reasoning",
        set_reasoning,
        "How much the model thinks: off, minimum, low, medium, high, xhigh or max. Refused while busy.",
        (Field("reasoning", "string", "The level.", required=True),),
        '{"reasoning": "high"}',
    ),
    Method(
        "set_tools",
        set_tools,
        "Which built-in tools the model has; those of extensions stay. The data has all of them. Refused while busy.",
        (Field("tools", "strings", "The names; none for no built-in tool.", required=True),),
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
