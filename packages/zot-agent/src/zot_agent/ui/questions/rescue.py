"""Choices after a failed model call: send the prompt again, to another model, or with a key."""

from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.questions.account import sign_in_helps, sign_in_to
from zot_core.events import ErrorEvent
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_tui.widgets.dialogs.picker import Picker, PickerItem


async def offer_rescue(chat: Chat, error: ErrorEvent, typed: str) -> None:
    """Ask for another model or, if the key is missing or was refused, for a sign-in; then the conversation is answered
    as it is. `typed` is the prompt. If there is nothing to offer, or a part of an answer follows the prompt, name the
    key that sends the prompt again.
    """
    if not _unanswered(chat):
        _name_key(chat)
        return
    current = chat.host.runtime.agent.model
    provider = sign_in_helps(chat, current.provider) if error.auth else None
    if not (error.candidates or provider):
        _name_key(chat)
        return
    items: list[PickerItem[Model | Provider]] = []
    if provider is not None:
        items.append(PickerItem(provider, f"sign in to {provider.title}", "then it answers the prompt"))
    if error.candidates:
        items += _items(chat, error)
    title = f"{current.id or current.provider} cannot answer; send the prompt to another model?"
    title = title if error.candidates else f"{current.id or current.provider} cannot answer without a key"
    chosen = await chat.ask(Picker(title, items, note=error.message), behind=True)
    if chosen is None or (isinstance(chosen, Provider) and not await sign_in_to(chat, chosen)):
        return
    if not _unanswered(chat):
        chat.note("the prompt is no longer the last one; /model switches the model", "warning")
        return
    if isinstance(chosen, Model):
        chat.host.conversation.set_model(chosen)
    chat.host.conversation.resend(typed)


def _name_key(chat: Chat) -> None:
    keys = chat.keys.keymap.keys("retry", (CHAT,))
    if keys and chat.latest_run.cut_off and not chat.host.conversation.busy:
        chat.note(f"{keys[0].label} sends the prompt again")


def _unanswered(chat: Chat) -> bool:
    messages = chat.host.runtime.messages
    return bool(messages) and messages[-1].role != "assistant" and not chat.host.conversation.busy


def _items(chat: Chat, error: ErrorEvent) -> list[PickerItem[Model | Provider]]:
    """Return the models of other providers with a credential, the default of each first; then models of the same one,
    unless its key is at fault."""
    registry, current = chat.host.models, chat.host.runtime.agent.model
    models: list[Model] = []
    for name in error.candidates:
        first = registry.resolve(name)
        models += [first, *(each for each in registry.models(first.provider) if each.id != first.id)]
    if not error.auth:
        models += [each for each in registry.models(current.provider) if each.id != current.id]
    return [
        PickerItem(each, each.id, each.name if each.name != each.id else "", group=each.provider) for each in models
    ]
