"""/model /reasoning: the model that answers and its reasoning level."""

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.amounts import tokens
from zot_agent.ui.questions import account
from zot_provider.errors import UnknownName
from zot_provider.wire.reasoning import LEVELS, levels, nearest_level
from zot_tui.widgets.dialogs.picker import Picker, PickerItem


async def model(chat: Chat, name: str) -> None:
    """Switch to another model, of any provider with a key."""
    chosen = name or await chat.ask(
        Picker("Model", await _models(chat), note="from providers with a key and local servers")
    )
    if chosen:
        await account.switch_model(chat, chosen)


async def next_favourite(chat: Chat, step: int) -> None:
    """Switch to the next of the person's favourite models, or with `step` -1 to the one before."""
    names = chat.host.settings.favourite_models
    if not names:
        chat.note('no favourite models yet: name some in config.json, "favourite_models": ["sonnet", "openai/gpt-5.4"]')
    elif chat.host.conversation.busy:
        chat.note("the model can be changed when zot is done")
    else:
        current = chat.host.runtime.agent.model
        found = [chat.host.models.resolve(chat.host.models.split_level(name)[0], current) for name in names]
        here = [index for index, each in enumerate(found) if (each.provider, each.id) == (current.provider, current.id)]
        at = here[0] + step if here else (0 if step > 0 else -1)
        await account.switch_model(chat, names[at % len(names)])


async def _models(chat: Chat) -> list[PickerItem[str]]:
    current = chat.host.runtime.agent.model
    listing = await chat.host.runtime.list_models(ask="stale")
    problem = listing.problems.get(current.provider)
    if problem is not None:  # only the current provider has to answer
        chat.note(f"{current.provider} did not list its models: {problem}", "warning")
    return [
        PickerItem(
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
    """Set the reasoning level."""
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
    chat.host.conversation.set_reasoning(found)


COMMANDS = (
    SlashCommand("model", "[id]", "switch the model; any provider with a key", "cancel", model),
    SlashCommand("reasoning", "[level]", "set the reasoning level", "cancel", reasoning),
)
