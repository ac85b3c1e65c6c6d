"""A sign-in to a service of an extension. The flows of providers serve it, and so does the store of the tokens."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.extensions.calls.methods.stored.secret import secret_name, secret_store
from zot_agent.operations.fields import OperationFailed
from zot_core.aio import cancel_soon, finish, spawn
from zot_core.conversation.dialogs import CannotShow, DialogKind, ExtensionDialog
from zot_core.conversation.events import Notify
from zot_provider.auth.oauth import SignInFailed
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import SignInSession
from zot_provider.auth.steps import AskCode, EnterCode, Mistake, NotSignedIn, OpenPage, SignInStep
from zot_provider.errors import ConfigError, MissingKey, ZotError
from zot_provider.providers.sign_in import Callback, SignIn
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.transport.url import parse_url

if TYPE_CHECKING:
    from zot_ext.protocol.answers import AccessToken

_CONTINUES = "zot notices the end. If the browser is on another machine, paste the address that it shows in the end."

_CLOSED = "the person closed the sign-in"

_TEXTS = ("authorize_url", "device_url", "token_url", "client_id", "scope")


async def authorize(call: ExtensionCall) -> "AccessToken":
    """Return an access token: the stored one, refreshed if it ends soon, or that of a new sign-in."""
    service = _service(call)
    keys = PersonalKeys(secret_store(call.services).home, {})
    token = await _stored(keys, service, call.text("refused"))
    if token is None:
        if not call.flag("ask", default=True):
            raise OperationFailed("not_found", f"nobody is signed in to {service.title}")
        await _SigningIn(call, keys, service).run()
        token = await _stored(keys, service, "")
        call.services.signed_in(call.connection)
    entry = await keys.accounts.store.load(service.id)
    if not token or entry is None:
        raise OperationFailed("failed", f"the sign-in to {service.title} was not stored")
    known = entry.token
    return {
        "value": token,
        "expires": known.expires if known is not None and known.expires else None,
        "scope": "" if known is None else known.scope,
    }


async def _stored(keys: PersonalKeys, service: Provider, refused: str) -> str | None:
    """Return the stored token; None if the person must sign in. Raises `OperationFailed`."""
    try:
        return (await keys.accounts.authorize(service, refused)).key
    except MissingKey:
        return None
    except SignInFailed as error:
        if error.ended:
            return None
        raise _failure(error, service) from None
    except ZotError as error:
        raise _failure(error, service) from None


def _failure(error: ZotError, service: Provider) -> OperationFailed:
    return OperationFailed("failed", str(error).replace(service.id, service.title))


def _service(call: ExtensionCall) -> Provider:
    """Return the record of the service, as if it were a provider. Raises `OperationFailed`."""
    given, flow = call.params, call.text("flow", "browser")
    texts = {name: call.text(name) for name in _TEXTS}
    for name in ("token_url", "authorize_url" if flow == "browser" else "device_url"):
        _check_url(name, texts[name])
    more, ports = given.get("parameters") or {}, given.get("ports") or [0]
    if not all(isinstance(each, str) for each in more.values()):
        raise OperationFailed("invalid", "parameters must be an object of strings")
    path = call.text("path", "/callback")
    if not path.startswith("/") or not path.isprintable():
        raise OperationFailed("invalid", "path must begin with /")
    title = call.text("title") or call.extension
    sign_in = SignIn(
        title,
        "browser" if flow == "browser" else "device",
        parameters=dict(more),
        resource=more.get("resource", ""),
        callback=Callback(ports=tuple(ports), path=path),
        authorize_url=texts["authorize_url"],
        device_url=texts["device_url"],
        token_url=texts["token_url"],
        client_id=texts["client_id"],
        scope=texts["scope"],
    )
    return Provider(secret_name(call.extension, given["key"]), title, "openai-chat", None, sign_in=sign_in)


def _check_url(name: str, url: str) -> None:
    try:
        parsed = parse_url(url)
    except ConfigError:
        parsed = None
    if parsed is None or not (parsed.secure or parsed.local) or not url.isprintable():
        raise OperationFailed("invalid", f"{name} must be an https URL, or http on this machine")


class _SigningIn:
    """One sign-in: its steps, and a dialog that shows them."""

    def __init__(self, call: ExtensionCall, keys: PersonalKeys, service: Provider) -> None:
        if call.conversation.actions.ask_person is None:
            raise OperationFailed("unavailable", f"nobody can be asked to sign in, in {call.mode}")
        registry = ModelRegistry(environ={})
        registry.add(service)
        self._call, self._service = call, service
        self._session = SignInSession(registry, keys, service.id, "account")
        self._page = ""
        self._dialog: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._failure: ZotError | None = None

    async def run(self) -> None:
        """Sign in. Raises `OperationFailed`."""
        pending, parent = self._call.connection.pending, self._call.parent
        pending.pause(parent)
        try:
            if (shows := self._call.conversation.actions.sign_in) is None:
                await self._show()
            elif not await shows(self._session, f"{self._call.extension}: sign in to {self._service.title}"):
                raise OperationFailed("cancelled", _CLOSED)
        except OperationFailed:
            raise
        except ZotError as error:
            raise _failure(error, self._service) from None
        finally:
            pending.resume(parent)

    async def _show(self) -> None:
        """Show the steps in dialogs of the extension."""
        self._following = following = spawn(self._follow(), f"sign-in of {self._call.extension}")
        try:
            if await finish(following, lambda: cancel_soon(following)):
                raise asyncio.CancelledError
        finally:
            if self._dialog is not None:
                self._dialog.cancel()
                await finish(self._dialog)
        if self._failure is not None:
            raise self._failure
        following.result()

    async def _follow(self) -> None:
        async with aclosing(self._session.steps()) as steps:
            async for step in steps:
                self._take(step)

    def _take(self, step: SignInStep) -> None:
        match step:
            case OpenPage(url):
                self._page = url
            case AskCode():
                self._dialog = spawn(self._asking(self._ask_code), "dialog of a sign-in")
            case Mistake(text):
                self._call.conversation.events.notify(Notify(self._call.extension, "warn", text))
            case EnterCode(code, url, seconds):
                shown = f"Type the code {code} on this page within {seconds / 60:g} minutes:\n{url}"
                self._dialog = spawn(self._asking(lambda: self._show_code(shown)), "dialog of a sign-in")
            case NotSignedIn(error):
                self._failure = error
            case _:
                pass

    async def _asking(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Show dialogs until the sign-in is over; end it if the person closes one."""
        try:
            await ask()
            self._failure = OperationFailed("cancelled", _CLOSED)
        except CannotShow as error:
            self._failure = OperationFailed("unavailable", str(error))
        if self._following is not None:
            self._following.cancel()

    async def _ask_code(self) -> None:
        """Show the page, and pass on what the person pastes, until they close the dialog."""
        while True:
            answer = await self._ask("input", f"Open this page:\n{self._page}\n{_CONTINUES}")
            if answer is None:
                return
            self._session.paste(answer)

    async def _show_code(self, message: str) -> None:
        await self._ask("select", message, options=("cancel",))

    async def _ask(self, kind: DialogKind, message: str, **more: Any) -> str | None:
        """Return the answer of the person, None if they closed the dialog."""
        ask, call = self._call.conversation.actions.ask_person, self._call
        if ask is None:
            raise CannotShow("nobody can be asked any more")
        title = f"Sign in to {self._service.title}"
        answer = await ask(ExtensionDialog(f"{call.extension}-{call.id}", call.extension, kind, title, message, **more))
        return None if answer.closed or kind == "select" else str(answer.value)
