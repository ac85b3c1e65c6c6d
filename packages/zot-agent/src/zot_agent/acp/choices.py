"""The settings of a session that a client shows: mode, model, reasoning level, sandbox."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import cast, get_args

from zot_agent.acp.calls import Json
from zot_core.aio import spawn
from zot_core.conversation.driver import Conversation
from zot_core.permission_mode import MODE_HELP, MODES, SANDBOX_MODES, PermissionMode
from zot_provider.errors import UnknownName
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.wire.reasoning import levels, nearest_level

_NAMES: dict[PermissionMode, str] = {
    "ask": "Ask",
    "accept-edits": "Accept edits",
    "plan": "Plan",
    "yolo": "Yolo",
}


def parse_mode(mode: str) -> PermissionMode:
    """Return the mode of this name. Raises `UnknownName`."""
    found = next((each for each in MODES if each == mode), None)
    if found is None:
        raise UnknownName.among("mode", mode, MODES)
    return found


def mode_state(current: PermissionMode) -> Json:
    """Return the protocol's `SessionModeState`."""
    available = [{"id": mode, "name": _NAMES[mode], "description": MODE_HELP[mode].capitalize()} for mode in MODES]
    return {"currentModeId": current, "availableModes": available}


async def list_choices(conversation: Conversation, offered: Iterable[Model]) -> dict[str, Model]:
    """Return the models to choose from, by their values in the protocol: the id, with the prefix PROVIDER/ unless the
    provider is the current one. Models `offered` before stay, since not all models of a server are known. Empty while
    the current model is not known yet."""
    current = conversation.runtime.agent.model
    if not current.id:
        return {}
    listing = await conversation.runtime.list_models(ask="never")
    found = {(each.provider, each.id): each for each in listing.models}
    for each in offered:
        found.setdefault((each.provider, each.id), each)
    return {
        id if provider == current.provider else f"{provider}/{id}": model for (provider, id), model in found.items()
    }


def config_options(conversation: Conversation, mode: PermissionMode, models: Mapping[str, Model]) -> list[Json]:
    """Return the protocol's `configOptions`, each with all its values; `models` comes from `list_choices`. A model with
    one reasoning level has no option for it, and the sandbox has one while it is on."""
    agent = conversation.runtime.agent
    known, level = levels(agent.model), nearest_level(agent.model, agent.reasoning)
    found = [_select("mode", "Mode", "mode", mode, [*_NAMES.items()])]
    if models:
        names = [(value, each.name or each.id) for value, each in models.items()]
        found.append(_select("model", "Model", "model", agent.model.id, names))
    if len(known) > 1:
        found.append(_select("reasoning", "Thinking", "thought_level", level, [(each, each) for each in known]))
    if conversation.sandbox != "off":
        current = "on" if conversation.sandbox == "lesser" else conversation.sandbox
        found.append(_select("sandbox", "Sandbox", "_sandbox", current, [(each, each) for each in SANDBOX_MODES]))
    return found


def choose(conversation: Conversation, option: str, value: str, models: Mapping[str, Model]) -> None:
    """Set the model or the reasoning level. A model that is not in `models` is resolved as in `Runtime.set_model`.
    Raises `UnknownName`, `Busy`, and the errors of `Runtime.set_model`."""
    if option == "model":
        conversation.set_model(models.get(value, value))
    elif option == "reasoning":
        if value not in get_args(Reasoning):
            raise UnknownName.among("reasoning", value, get_args(Reasoning))
        conversation.set_reasoning(cast("Reasoning", value))
    else:
        raise UnknownName.among("option", option, ["mode", "model", "reasoning", "sandbox"])


class SessionChoices:
    """The choices of one session, and what the editor knows of them. `update` sends an update of the session."""

    def __init__(self, conversation: Conversation, update: Callable[[Json], None]) -> None:
        self._conversation, self._update = conversation, update
        self._models: dict[str, Model] = {}
        self._known: tuple[str, list[Json]] | None = None  # the mode and the options; None until they are asked for
        self._outdated = False
        self._telling: asyncio.Task[None] | None = None

    def choose(self, option: str, value: str) -> None:
        """Do what the function `choose` does, with the models that were offered."""
        choose(self._conversation, option, value, self._models)

    async def options(self) -> list[Json]:
        """Return the protocol's `configOptions` with the current values, for the editor."""
        self._models = await list_choices(self._conversation, self._models.values())
        mode = self._conversation.permissions.mode
        options = config_options(self._conversation, mode, self._models)
        self._known = mode, options
        return options

    def changed(self) -> None:
        """Tell the editor, which knows the session, what is different now."""
        if self._known is not None:
            self._outdated = True
            if self._telling is None or self._telling.done():
                self._telling = spawn(self._tell(), "settings for the editor")

    async def settled(self) -> None:
        """Return once the editor knows what has changed."""
        if self._telling is not None:
            await asyncio.wait([self._telling])

    async def _tell(self) -> None:
        while self._outdated:
            self._outdated = False
            mode, known = self._known or ("", [])
            options = await self.options()
            if (current := self._conversation.permissions.mode) != mode:
                self._update({"sessionUpdate": "current_mode_update", "currentModeId": current})
            if options != known:
                self._update({"sessionUpdate": "config_option_update", "configOptions": options})

    def close(self) -> None:
        """Tell it nothing more."""
        if self._telling is not None:
            self._telling.cancel()


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
