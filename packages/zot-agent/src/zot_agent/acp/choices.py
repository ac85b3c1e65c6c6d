"""What a person may choose for a session in the client: its mode, its model, how much that thinks."""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, cast, get_args

from zot_agent.acp.calls import Json
from zot_core.conversation import Conversation
from zot_provider.errors import UnknownName
from zot_provider.model import Model
from zot_provider.request import Reasoning

SessionMode: TypeAlias = Literal["ask", "yolo"]

_MODES: dict[SessionMode, tuple[str, str]] = {
    "ask": ("Ask", "Asks before each tool call"),
    "yolo": ("Yolo", "Runs tools without asking"),
}


def checked_mode(mode: str) -> SessionMode:
    """The mode of this name. Raises `UnknownName`."""
    if mode not in _MODES:
        raise UnknownName.among("mode", mode, _MODES)
    return mode


def modes(current: SessionMode) -> Json:
    """The protocol's `SessionModeState`."""
    available = [{"id": id, "name": name, "description": text} for id, (name, text) in _MODES.items()]
    return {"currentModeId": current, "availableModes": available}


async def offer(conversation: Conversation, before: Iterable[Model]) -> dict[str, Model]:
    """The models to choose from, by what the protocol calls their values: the id, after PROVIDER/ for another provider
    than the current one. What was offered `before` stays, since not every server's models are known. Empty while the
    provider's server has yet to name a model."""
    current = conversation.runtime.agent.model
    if not current.id:
        return {}
    listing = await conversation.runtime.list_models(ask="never")
    found = {(each.provider, each.id): each for each in listing.models}
    for each in before:
        found.setdefault((each.provider, each.id), each)
    return {
        id if provider == current.provider else f"{provider}/{id}": model for (provider, id), model in found.items()
    }


def options(conversation: Conversation, mode: SessionMode, models: Mapping[str, Model]) -> list[Json]:
    """The protocol's `configOptions`, each with all its values; `models` are those on `offer`."""
    agent, levels = conversation.runtime.agent, get_args(Reasoning)
    found = [_select("mode", "Mode", "mode", mode, [(id, name) for id, (name, _) in _MODES.items()])]
    if models:
        names = [(value, each.name or each.id) for value, each in models.items()]
        found.append(_select("model", "Model", "model", agent.model.id, names))
    found.append(_select("reasoning", "Thinking", "thought_level", agent.reasoning, [(each, each) for each in levels]))
    return found


def choose(conversation: Conversation, option: str, value: str, models: Mapping[str, Model]) -> None:
    """Have another model, or effort; a model that is not one of `models` is understood as in `Runtime.set_model`.
    Raises `UnknownName`, `Busy`, and what `Runtime.set_model` raises."""
    if option == "model":
        conversation.set_model(models.get(value, value))
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
