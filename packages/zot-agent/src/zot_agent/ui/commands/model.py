"""/model /reasoning: the model that answers and its reasoning level."""

import asyncio
import contextlib
from collections.abc import Sequence

from zot_agent.config.settings import Settings
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.amounts import tokens
from zot_agent.ui.questions import account
from zot_core.aio import finish, spawn
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.wire.reasoning import LEVELS, levels, nearest_level
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction

STAR = "★"
"""Marks a favourite in the list of models."""


async def model(chat: Chat, name: str) -> None:
    """Switch to another model, of any provider with a key."""
    if name:
        await _switch(chat, name)
        return
    # The known models are shown at once. Those of servers whose lists are not fresh, and of extensions that still load,
    # are added when they come.
    picker = ModelPicker(chat, (await chat.host.runtime.list_models(ask="never")).models)
    refreshing = spawn(picker.refresh(), "lists of models")
    waiting = spawn(picker.add_late(), "models of extensions")
    try:
        chosen = await chat.ask(picker)
        if chosen:
            await _switch(chat, chosen)
        await refreshing  # the lists are kept for the next time
    finally:
        for task in (refreshing, waiting):
            task.cancel()
            await finish(task)  # its connections are closed before the program ends


class ModelPicker(Picker[str]):
    """The models of providers with a key and of local servers. Here they can be marked as favourites."""

    def __init__(self, chat: Chat, models: Sequence[Model]) -> None:
        self._chat, self._models = chat, models
        mark = RowAction("ctrl+f", "favourite", self._mark)
        super().__init__("Model", self._items(), note="from providers with a key and local servers", actions=(mark,))

    async def refresh(self) -> None:
        """Add the models that servers list now, and note the error of the current provider, if it is a new one."""
        listing = await self._chat.host.runtime.list_models(ask="stale")
        self._show(listing.models)
        current = self._chat.host.runtime.agent.model.provider
        problem = listing.problems.get(current)
        lists = self._chat.host.models.lists
        if problem is not None and lists.is_news(current, str(problem)):  # only the current one has to answer
            self._chat.note(f"{current} did not list its models: {problem}", "warning")

    async def add_late(self) -> None:
        """Add the models of extensions, once all are loaded, and what those say later whose names were remembered."""
        host, changed = self._chat.host, asyncio.Event()
        await host.conversation.ready()
        stop = host.providers.changed.add(lambda _: changed.set()) if host.providers is not None else changed.clear
        try:
            while True:
                self._show((await host.runtime.list_models(ask="never")).models)
                await changed.wait()
                changed.clear()
        finally:
            stop()

    def _show(self, models: Sequence[Model]) -> None:
        self._models = models
        self.set_items(self._items())
        self._chat.app.redraw()

    def _items(self) -> list[PickerItem[str]]:
        current = self._chat.host.runtime.agent.model
        marked = [(each.provider, each.id) for _, each in _favourites(self._chat)]
        return [
            PickerItem(
                f"{each.provider}/{each.id}",
                f"{each.id} {STAR}" if (each.provider, each.id) in marked else each.id,
                each.name if each.name != each.id else "",
                f"{tokens(each.context_window)} tokens" if each.context_window else "",
                group=each.provider,
                current=each.id == current.id and each.provider == current.provider,
            )
            for each in self._models
        ]

    def _mark(self, name: str) -> None:
        """Make a model a favourite, or no longer one."""
        provider, _, id = name.partition("/")
        found = _favourites(self._chat)
        kept = [each for each, model in found if (model.provider, model.id) != (provider, id)]
        names = [each for each in self._chat.host.settings.favourite_models if each not in dict(found) or each in kept]
        self._chat.choices.keep({Settings.favourite_models.key: names if len(kept) < len(found) else [*names, name]})
        self.set_items(self._items())


async def _switch(chat: Chat, name: str) -> None:
    """Let the model of this name answer, from now on and after the next start."""
    agent = chat.host.runtime.agent
    before = agent.reasoning
    if await account.switch_model(chat, name):
        chat.choices.keep_model(agent.model, None if agent.reasoning == before else agent.reasoning)


def _favourites(chat: Chat) -> list[tuple[str, Model]]:
    """Return the favourite models with the names that the person gave them; unknown ones are left out."""
    models, current, found = chat.host.models, chat.host.runtime.agent.model, []
    for name in chat.host.settings.favourite_models:
        with contextlib.suppress(ConfigError):
            found.append((name, models.resolve(models.split_level(name)[0], current)))
    return found


async def next_favourite(chat: Chat, step: int) -> None:
    """Switch to the next of the person's favourite models, or with `step` -1 to the one before."""
    found = _favourites(chat)
    if not found:
        chat.note("no favourite models yet: mark some in /model with ctrl+f")
    elif chat.host.conversation.busy:
        chat.note("the model can be changed when zot is done")
    else:
        current = chat.host.runtime.agent.model
        ids = [(each.provider, each.id) for _, each in found]
        here = ids.index((current.provider, current.id)) + step if (current.provider, current.id) in ids else None
        at = (0 if step > 0 else -1) if here is None else here
        await _switch(chat, found[at % len(found)][0])


async def reasoning(chat: Chat, level: str) -> None:
    agent = chat.host.runtime.agent
    known, now = levels(agent.model), nearest_level(agent.model, agent.reasoning)
    if not level and len(known) < 2:
        chat.note(f"{agent.model.id} has no reasoning levels")
        return
    chosen = level or await chat.ask(
        Picker("Reasoning", [PickerItem(each, each, current=each == now) for each in known])
    )
    if not chosen:
        return
    found = next((each for each in LEVELS if each == chosen), None)
    if found is None:
        raise UnknownName.among("reasoning", chosen, known)
    _think(chat, found)


def next_reasoning(chat: Chat) -> None:
    agent = chat.host.runtime.agent
    known = levels(agent.model)
    if chat.host.conversation.busy:
        chat.note("the reasoning level can be changed when zot is done")
    elif len(known) < 2:
        chat.note(f"{agent.model.id} has no reasoning levels")
    else:
        now = known.index(nearest_level(agent.model, agent.reasoning))
        _think(chat, known[(now + 1) % len(known)])


def _think(chat: Chat, level: Reasoning) -> None:
    """Think at this level, from now on and after the next start."""
    chat.host.conversation.set_reasoning(level)
    chat.choices.keep({Settings.reasoning.key: level})


COMMANDS = (
    SlashCommand("model", "[id]", "switch the model; any provider with a key", "cancel", model),
    SlashCommand("reasoning", "[level]", "set the reasoning level", "cancel", reasoning),
)
