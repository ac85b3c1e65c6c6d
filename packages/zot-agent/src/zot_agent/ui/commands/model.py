"""/model /reasoning: who answers, and how hard it thinks."""

from typing import get_args

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.format.amounts import tokens
from zot_provider.errors import UnknownName
from zot_provider.request import Reasoning
from zot_tui.widgets.dialogs.picker import Item, Picker


async def model(chat: Chat, name: str) -> None:
    """Go on with another model, of any provider there is a key for."""
    chosen = name or await chat.ask(Picker("Model", await _models(chat), note="providers with a key, or a server here"))
    if chosen:
        chat.host.conversation.set_model(chosen)


async def _models(chat: Chat) -> list[Item[str]]:
    current = chat.host.runtime.agent.model
    listing = await chat.host.runtime.list_models()
    problem = listing.problems.get(current.provider)
    if problem is not None:  # a server that is not in use need not run
        chat.note(f"{current.provider} gives no list of its models: {problem}", "warning")
    return [
        Item(
            f"{each.provider}/{each.id}",
            each.id,
            each.name if each.name != each.id else "",
            f"{tokens(each.context_window)} tokens" if each.context_window else "",
            group=each.provider,
            current=each.id == current.id and each.provider == current.provider,
        )
        for each in listing.models
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
    chat.host.conversation.set_reasoning(found)
