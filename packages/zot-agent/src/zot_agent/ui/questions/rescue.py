"""What a person can do after a model call has failed for good: send the prompt again, or to another model."""

from zot_agent.ui.commands.base import CHAT, Chat
from zot_core.events import ErrorEvent
from zot_provider.model import Model
from zot_tui.widgets.dialogs.picker import Picker, PickerItem


async def offer_rescue(chat: Chat, error: ErrorEvent, typed: str) -> None:
    """Ask for another model, and let it answer the conversation as it is. `typed` is the prompt. If there is no model
    to offer, name the key that sends the prompt again.

    Does nothing if something follows the prompt: a part of an answer, another prompt.
    """
    if not _unanswered(chat):
        return
    if not error.candidates:
        if keys := chat.keymap.keys("retry", (CHAT,)):
            chat.note(f"{keys[0].label} sends the prompt again")
        return
    current = chat.host.runtime.agent.model
    title = f"{current.id or current.provider} cannot answer; send the prompt to another model?"
    chosen = await chat.ask(Picker(title, _items(chat, error), note=error.message), behind=True)
    if chosen is not None and not _unanswered(chat):
        chat.note("the prompt is no longer the last one; /model switches the model", "warning")
    elif chosen is not None:
        chat.host.conversation.set_model(chosen)
        chat.host.conversation.resend(typed)


def _unanswered(chat: Chat) -> bool:
    messages = chat.host.runtime.messages
    return bool(messages) and messages[-1].role != "assistant" and not chat.host.conversation.busy


def _items(chat: Chat, error: ErrorEvent) -> list[PickerItem[Model]]:
    """Return the models of other providers with a credential, the default of each first; then those of the same one."""
    registry, current = chat.host.models, chat.host.runtime.agent.model
    models: list[Model] = []
    for name in error.candidates:
        first = registry.resolve(name)
        models += [first, *(each for each in registry.models(first.provider) if each.id != first.id)]
    models += [each for each in registry.models(current.provider) if each.id != current.id]
    return [
        PickerItem(each, each.id, each.name if each.name != each.id else "", group=each.provider) for each in models
    ]
