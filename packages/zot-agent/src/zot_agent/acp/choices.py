"""What a person may choose for a session in the client: its mode, its model, how much that thinks."""

from typing import Literal, TypeAlias, cast, get_args

from zot_agent.acp.calls import Json
from zot_core.conversation import Conversation
from zot_provider.errors import UnknownName
from zot_provider.model import Model
from zot_provider.request import Reasoning

Mode: TypeAlias = Literal["ask", "yolo"]

_MODES: dict[Mode, tuple[str, str]] = {
    "ask": ("Ask", "Asks before each tool call"),
    "yolo": ("Yolo", "Runs tools without asking"),
}


def checked_mode(mode: str) -> Mode:
    """The mode of this name. Raises `UnknownName`."""
    if mode not in _MODES:
        raise UnknownName.among("mode", mode, _MODES)
    return mode


def modes(current: Mode) -> Json:
    """The protocol's `SessionModeState`."""
    available = [{"id": id, "name": name, "description": text} for id, (name, text) in _MODES.items()]
    return {"currentModeId": current, "availableModes": available}


async def options(conversation: Conversation, mode: Mode) -> list[Json]:
    """The protocol's `configOptions`, each with all its values. There is no model to choose while the provider's server
    has yet to name one."""
    runtime = conversation.runtime
    current, levels = runtime.agent.model, get_args(Reasoning)
    found = [_select("mode", "Mode", "mode", mode, [(id, name) for id, (name, _) in _MODES.items()])]
    if current.id:
        listing = await runtime.list_models(ask="never")
        names = [(_value(each, current), each.name or each.id) for each in listing.models]
        found.append(_select("model", "Model", "model", current.id, names))
    found.append(
        _select("reasoning", "Thinking", "thought_level", runtime.agent.reasoning, [(each, each) for each in levels])
    )
    return found


def _value(model: Model, current: Model) -> str:
    """What stands for a model among the choices; `Conversation.set_model` understands it."""
    return model.id if model.vendor == current.vendor else f"{model.vendor}/{model.id}"


def choose(conversation: Conversation, option: str, value: str) -> None:
    """Have another model, or effort. Raises `UnknownName`, `Busy`, and what `Runtime.set_model` raises."""
    if option == "model":
        conversation.set_model(value)
    elif option == "reasoning":
        if value not in get_args(Reasoning):
            raise UnknownName.among("reasoning", value, get_args(Reasoning))
        conversation.set_reasoning(cast("Reasoning", value))
    else:
        raise UnknownName.among("option", option, ["mode", "model", "reasoning"])


def _select(id: str, name: str, category: str, current: str, values: list[tuple[str, str]]) -> Json:
    choices = [{"value": value, "name": text} for value, text in values]
    return {
        "id": id,
        "name": name,
        "category": category,
        "type": "select",
        "currentValue": current,
        "options": choices,
    }
