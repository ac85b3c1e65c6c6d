"""/login /logout: the keys and sign-ins of the person."""

from zot_agent.host.accounts import AccountLine, account_lines, find_provider, sign_out
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.questions.account import personal_keys, sign_in_to
from zot_provider.auth.session import sign_in_methods
from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice


async def login(chat: Chat, name: str) -> None:
    """Store a key, or sign in with an account; then offer the provider's model."""
    registry, keys = chat.host.models, personal_keys(chat)
    if not name:
        lines = {each.provider: each for each in account_lines(registry, keys)}
        items = [
            PickerItem(each.id, each.title, each.sign_in.title if each.sign_in else "", _mark(lines.get(each.id)))
            for each in registry.providers
            if sign_in_methods(each)
        ]
        name = await chat.ask(Picker("Sign in to", items)) or ""
    if not name:
        return
    provider = find_provider(registry, name)
    if not sign_in_methods(provider):
        raise ConfigError(f"{provider.id} needs no key")
    if await sign_in_to(chat, provider):
        await _offer(chat, registry.default(provider.id))


async def logout(chat: Chat, name: str) -> None:
    """Delete the stored keys and tokens of a provider."""
    registry, keys = chat.host.models, personal_keys(chat)
    if not name:
        stored = [
            each for each in account_lines(registry, keys) if each.source in ("file", "keyring") and not each.shared
        ]
        items = [PickerItem(each.provider, each.provider, each.text) for each in stored]
        name = await chat.ask(Picker("Sign out of", items, empty="nothing is stored")) or ""
    if not name:
        return
    lines = await sign_out(registry, keys, name)
    for line in lines or [f"nothing is stored for {name}"]:
        chat.note(line)


def _mark(line: AccountLine | None) -> str:
    return line.text if line is not None and (line.kind or line.problem) else ""


async def _offer(chat: Chat, model: Model) -> None:
    """Ask whether to use this model from now on, unless the provider is in use."""
    current = chat.host.runtime.agent.model
    if model.provider == current.provider:
        return
    named = f"{model.provider}/{model.id}" if model.id else f"the first model of {model.provider}"
    choices = [
        ConfirmChoice("y", f"use {named}", value=True),
        ConfirmChoice("n", f"stay with {current.provider}/{current.id}", value=False),
    ]
    if await chat.ask(Confirm("Which model answers next?", choices, note="/model switches at any time"), behind=True):
        await chat.host.conversation.idle()
        chat.host.conversation.set_model(model)


COMMANDS = (
    SlashCommand("login", "[provider]", "store a key, or sign in with an account", "now", login),
    SlashCommand("logout", "[provider]", "delete a stored key or sign-in", "now", logout),
)
