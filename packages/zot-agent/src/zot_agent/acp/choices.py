"""What a person may choose for a session in the client: its mode, its model, how much that thinks."""

from typing import Literal, TypeAlias, cast, get_args

from zot_agent.acp.calls import Json
from zot_agent.config.paths import zot_home
from zot_agent.host import Host
from zot_agent.host.build import known_models
from zot_core.runtime import Runtime
from zot_provider.catalog import find_model, list_models
from zot_provider.client import HttpClient
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


def options(host: Host, mode: Mode) -> list[Json]:
    """The protocol's `configOptions`, each with all its values. There is no model to choose while the vendor's server
    has yet to name one."""
    runtime = host.runtime
    model, levels = runtime.agent.model, get_args(Reasoning)
    found = [_select("mode", "Mode", "mode", mode, [(id, name) for id, (name, _) in _MODES.items()])]
    if model.id:
        names = [(each.id, each.name or each.id) for each in models(runtime)]
        found.append(_select("model", "Model", "model", model.id, names))
    found.append(
        _select("reasoning", "Thinking", "thought_level", runtime.agent.reasoning, [(each, each) for each in levels])
    )
    return found


def models(runtime: Runtime) -> list[Model]:
    """The models of the vendor that are known without asking its server, those of the person among them."""
    client, current = runtime.agent.client, runtime.agent.model
    found = {current.id: current}
    if isinstance(client, HttpClient):
        if find_model(client.vendor, current.id) is not None:
            found |= {each.id: each for each in list_models(client.vendor)}
        found |= {each.id: each for each in known_models(zot_home()).models.get(client.vendor.id, [])}
    return list(found.values())


def choose(runtime: Runtime, option: str, value: str) -> None:
    """Have another model, or effort. Raises `UnknownName`, `Busy`, and what `Runtime.set_model` raises."""
    if option == "model":
        own = next((each for each in models(runtime) if each.id == value), None)
        runtime.set_model(own or value)
    elif option == "reasoning":
        if value not in get_args(Reasoning):
            raise UnknownName.among("reasoning", value, get_args(Reasoning))
        runtime.set_reasoning(cast("Reasoning", value))
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
