"""/model /reasoning: who answers, and how hard it thinks."""

import os
from typing import get_args

from zot_agent.host.build import known_models
from zot_agent.ui.amounts import tokens
from zot_agent.ui.commands.base import Chat
from zot_core.state import OtherVendor
from zot_provider.catalog import list_models
from zot_provider.catalog.user import Known
from zot_provider.errors import UnknownName, ZotError
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.selection import environment_key
from zot_tui.widgets.picker import Item, Picker


async def model(chat: Chat, name: str) -> None:
    """Go on with another model, of any vendor there is a key for."""
    chosen = name or await chat.ask(Picker("Model", await _models(chat), note="vendors with a key, or a server here"))
    if chosen:
        await _switch(chat, chosen)
        chat.refresh()


async def _switch(chat: Chat, name: str) -> None:
    runtime, known = chat.host.runtime, known_models(chat.home)
    before = runtime.agent.model
    vendors = [vendor.id for vendor in known.vendors]
    head, slash, _ = name.partition("/")
    other = bool(slash) and head in vendors and head != before.vendor
    if slash and head not in vendors and _listed(before, known) and not _slashes(before.vendor, known):
        raise UnknownName.among("vendor", head, vendors)
    if not other:
        try:
            runtime.set_model(name)
        except OtherVendor:
            other = True
    if other:
        await _reopen(chat, name)
    now = chat.host.runtime.agent.model
    title = next((vendor.title for vendor in known.vendors if vendor.id == now.vendor), now.vendor)
    if not _listed(now, known) and (other or _listed(before, known)) and _catalogue(now.vendor, known):
        chat.note(
            f"{now.id} is not among the models of {title} that zot knows; it is asked for all the same", "warning"
        )


async def _reopen(chat: Chat, name: str) -> None:
    """Go on with a model of another vendor: the same conversation, another client."""
    runtime = chat.host.runtime
    session = runtime.session if len(runtime.agent.transcript) else None
    path = session.path if session is not None else ""
    options = chat.host.options.replace(session=path, continue_latest=False)
    for line in await chat.host.reopen(options.replace(provider="", model=name, api_key="", base_url="")):
        chat.note(line, "warning")
    if session is None:  # nothing is on disk, or nothing was said
        chat.host.runtime.set_messages(runtime.messages)
    chat.show_conversation()


def _catalogue(vendor: str, known: Known) -> list[Model]:
    """The models of a vendor's catalogue; empty for one without, whose server alone knows its models."""
    return next((list_models(each) for each in known.vendors if each.id == vendor), [])


def _listed(model: Model, known: Known) -> bool:
    """Whether a model is one of the catalogue, a dated one of those, or the person's own."""
    return bool(model.context_window) or any(each.id == model.id for each in known.models.get(model.vendor, []))


def _slashes(vendor: str, known: Known) -> bool:
    """Whether names of a vendor's models may hold slashes."""
    listed = [*_catalogue(vendor, known), *known.models.get(vendor, [])]
    return not _catalogue(vendor, known) or any("/" in each.id for each in listed)


async def _models(chat: Chat) -> list[Item[str]]:
    runtime = chat.host.runtime
    current = runtime.agent.model
    known = known_models(chat.home)
    found: dict[str, Model] = {}
    try:
        found.update({f"{each.vendor}/{each.id}": each for each in await runtime.list_models()})
    except ZotError as error:
        chat.note(f"{current.vendor} gives no list of its models: {error}", "warning")
    for vendor in known.vendors:
        if vendor.id != current.vendor and (environment_key(vendor, os.environ) or not vendor.key_env):
            own = known.models.get(vendor.id, [])
            found.update({f"{vendor.id}/{each.id}": each for each in [*list_models(vendor), *own]})
    return [
        Item(
            name,
            each.id,
            each.name if each.name != each.id else "",
            f"{tokens(each.context_window)} tokens" if each.context_window else "",
            group=each.vendor,
            current=each.id == current.id and each.vendor == current.vendor,
        )
        for name, each in found.items()
    ]


async def reasoning(chat: Chat, level: str) -> None:
    """Have the model think more, or less."""
    levels: tuple[Reasoning, ...] = get_args(Reasoning)
    now = chat.host.runtime.agent.reasoning
    chosen = level or await chat.ask(Picker("Reasoning", [Item(each, each, current=each == now) for each in levels]))
    if not chosen:
        return
    found = next((each for each in levels if each == chosen), None)
    if found is None:
        raise UnknownName.among("reasoning", chosen, levels)
    chat.host.runtime.set_reasoning(found)
    chat.refresh()
