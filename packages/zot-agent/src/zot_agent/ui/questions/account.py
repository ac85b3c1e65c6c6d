"""A sign-in to a provider on the screen, also where a model was asked for and its provider has no key."""

from zot_agent.host.accounts import account_lines
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.questions.sign_in import choose_method, sign_in
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import SignInSession, sign_in_methods
from zot_provider.errors import ConfigError, MissingKey
from zot_provider.providers.spec import Provider


def personal_keys(chat: Chat) -> PersonalKeys:
    """Return the keys of the person. Raises `ConfigError` if zot was started with others."""
    if chat.host.keys is None:
        raise ConfigError("this zot was started with its own keys; use zot auth in a shell")
    return chat.host.keys


async def sign_in_to(chat: Chat, provider: Provider) -> bool:
    """Store a key, or sign in with an account; return whether that was done. Raises `ZotError`."""
    registry, keys = chat.host.models, personal_keys(chat)
    method = await choose_method(chat.ask, provider)
    if method is None:
        return False
    session = SignInSession(registry, keys, provider.id, method)
    removed = [variable for each in registry.providers for variable in each.key_env]
    signed_in = await sign_in(chat.ask, chat.app, session, f"Sign in to {provider.title}", removed)
    if signed_in is None:
        chat.note(f"not signed in to {provider.title}; nothing was stored")
        return False
    chat.note(signed_in.text, "success")
    return True


def sign_in_helps(chat: Chat, id: str) -> Provider | None:
    """Return the provider with this id if the next request would use what a sign-in stores; None if there is no
    sign-in, or a key that comes before it: a given one, a variable."""
    provider = next((each for each in chat.host.models.providers if each.id == id), None)
    if provider is None or chat.host.keys is None or not sign_in_methods(provider):
        return None
    lines = account_lines(chat.host.models, chat.host.keys)
    return provider if any(each.provider == id and each.source in ("", "file", "keyring") for each in lines) else None


async def switch_model(chat: Chat, name: str) -> bool:
    """Continue with another model; the person may sign in first if its provider has no key. Return whether the model
    is in use. Raises `ZotError`."""
    try:
        chat.host.conversation.set_model(name)
    except MissingKey as error:
        provider = sign_in_helps(chat, error.provider)
        if provider is None:
            raise
        chat.note(str(error), "warning")
        if not await sign_in_to(chat, provider):
            return False
        await chat.host.conversation.idle()
        chat.host.conversation.set_model(name)
    return True
