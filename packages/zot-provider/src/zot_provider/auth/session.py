"""`SignInSession`: one attempt of a person to sign in, which any front end can drive."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal, TypeAlias

from zot_provider.auth.entry import AccountToken, Entry
from zot_provider.auth.keys import KeyRefused, add_key, put_entry
from zot_provider.auth.oauth import OAuthLimits, SignInFailed, TokenEndpoint
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.steps import (
    AskCode,
    AskKey,
    ConfirmTerms,
    EnterCode,
    Mistake,
    NotSignedIn,
    OpenPage,
    SignedIn,
    SignInProgress,
    SignInStep,
)
from zot_provider.errors import ConfigError, ZotError
from zot_provider.providers.sign_in import SignIn
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_provider.auth.flows.browser import BrowserSignIn

Method: TypeAlias = Literal["account", "page", "key"]
"""Sign in with an account of the provider; give a key in a form in the browser; give a key to the front end."""


def sign_in_methods(provider: Provider) -> list[Method]:
    """Return the ways to sign in to a provider, the best first; empty if it needs neither a key nor an account."""
    methods: list[Method] = ["account"] if provider.sign_in else []
    return [*methods, "page", "key"] if provider.key_env else methods


class SignInSession:
    """One attempt to sign in.

    ```python
    session = SignInSession(registry, keys, "openai", "key")
    async with aclosing(session.steps()) as steps:
        async for step in steps:
            ...  # show it, as its class says; answer with `agree` and `paste` at any time
    ```

    The last step is `SignedIn` or `NotSignedIn`; no other failure is raised. Closing the iterator, or cancelling the
    task that runs it, cancels the attempt: the servers on this machine are closed and nothing is stored. A session is
    used once, in one event loop. The next request of any client with `keys` uses the new key.
    """

    def __init__(
        self,
        registry: ModelRegistry,
        keys: PersonalKeys,
        provider: str,
        method: Method,
        limits: OAuthLimits | None = None,
    ) -> None:
        """`registry` knows the providers and their addresses, `keys` has the store. `provider` is an id; it may be
        empty for the method `page`, whose form has a list. Raises `ConfigError` if the provider has no such method."""
        self.registry = registry
        self.keys = keys
        self.provider = registry.provider(provider) if provider or method != "page" else None
        self.method = method
        if self.provider is not None and method not in sign_in_methods(self.provider):
            names = " or ".join(sign_in_methods(self.provider)) or "nothing"
            raise ConfigError(f"{self.provider.id} has no sign-in by {method}; it has {names}")
        self._limits = limits or OAuthLimits()
        self._agreed: asyncio.Queue[bool] = asyncio.Queue()
        self._pasted: asyncio.Queue[str] = asyncio.Queue()
        self._browser: BrowserSignIn | None = None

    async def steps(self) -> AsyncGenerator[SignInStep, None]:
        """Begin, and yield what to show to the person and what to ask."""
        flow = {"account": self._account, "page": self._page, "key": self._key}[self.method]
        try:
            async with aclosing(flow()) as steps:
                async for step in steps:
                    yield step
        except ZotError as error:
            yield NotSignedIn(error)

    def agree(self) -> None:
        """Answer `ConfirmTerms`: the person agrees."""
        self._agreed.put_nowait(True)

    def decline(self) -> None:
        """Answer `ConfirmTerms`: the person does not agree. The session ends, and nothing was sent."""
        self._agreed.put_nowait(False)

    def paste(self, text: str) -> None:
        """Answer `AskKey` or `AskCode` with what the person typed or pasted."""
        if self._browser is not None:
            self._browser.paste(text)
        else:
            self._pasted.put_nowait(text)

    # Internal.

    async def _key(self) -> AsyncGenerator[SignInStep, None]:
        """Ask for a key until the provider accepts one."""
        assert self.provider is not None
        yield AskKey(self.provider.id)
        while True:
            text = await self._pasted.get()
            yield _checking(self.provider)
            try:
                line = await add_key(self.registry, self.keys, self.provider, text)
            except KeyRefused as error:
                yield Mistake(str(error))
            else:
                yield SignedIn(self.provider.id, line)
                return

    async def _page(self) -> AsyncGenerator[SignInStep, None]:
        """Serve a form until the provider accepts a key of it."""
        from zot_provider.auth.flows.key_page import KeyPage  # noqa: PLC0415  one flow needs one server

        possible = [each for each in self.registry.providers if each.key_env]
        page = KeyPage(possible, self.provider.id if self.provider else "")
        try:
            yield OpenPage(await page.open())
            while True:
                async with asyncio.timeout(self._limits.person):
                    sent = await page.next()
                provider = self.registry.provider(sent.provider)
                yield _checking(provider)
                try:
                    line = await add_key(self.registry, self.keys, provider, sent.key)
                except KeyRefused as error:
                    sent.done.set_result(str(error))
                    yield Mistake(str(error))
                except ConfigError as error:
                    sent.done.set_result(str(error))
                    raise
                else:
                    sent.done.set_result("")
                    break
        except TimeoutError:
            raise SignInFailed(f"no key was given within {self._limits.person:g} s") from None
        finally:
            await page.close()
        yield SignedIn(provider.id, line)

    async def _account(self) -> AsyncGenerator[SignInStep, None]:
        from zot_provider.transport.http import HttpTransport  # noqa: PLC0415  not before it is needed

        assert self.provider is not None
        sign_in = self.provider.sign_in
        assert sign_in is not None
        if sign_in.terms:
            yield ConfirmTerms(sign_in.terms)
            try:
                async with asyncio.timeout(self._limits.person):
                    agreed = await self._agreed.get()
            except TimeoutError:
                raise SignInFailed(f"{self.provider.id}: nobody agreed to the terms") from None
            if not agreed:
                raise SignInFailed(f"{self.provider.id}: not signed in; nothing was sent")
        transport = HttpTransport()
        endpoint = TokenEndpoint(sign_in, transport, self._limits)
        if sign_in.program is not None:
            flow = sign_in.program.login(self._pasted)
        elif sign_in.flow == "browser":
            flow = self._in_browser(sign_in, endpoint)
        else:
            flow = self._with_code(sign_in, endpoint)
        token: AccountToken | None = None
        try:
            async with aclosing(flow) as steps:
                async for step in steps:
                    if isinstance(step, AccountToken):
                        token = step
                    else:
                        yield step
        except SignInFailed as error:
            error.args = (f"{self.provider.id}: {error}",)
            raise
        finally:
            await transport.close()
        assert token is not None
        entry = Entry(token.access) if sign_in.yields_key else Entry(token=token)
        yield SignedIn(self.provider.id, await put_entry(self.keys, self.provider, entry))

    async def _in_browser(
        self, sign_in: SignIn, endpoint: TokenEndpoint
    ) -> AsyncGenerator[SignInStep | AccountToken, None]:
        from zot_provider.auth.flows.browser import BrowserSignIn, WrongCode  # noqa: PLC0415  one flow needs one module

        assert self.provider is not None
        self._browser = BrowserSignIn(sign_in, endpoint)
        try:
            yield OpenPage(await self._browser.open())
            yield AskCode(self.provider.id)
            token = None
            while token is None:
                try:
                    async with asyncio.timeout(self._limits.person):
                        token = await self._browser.token()
                except WrongCode as error:
                    yield Mistake(str(error))
        except TimeoutError:
            raise SignInFailed(f"no sign-in came within {self._limits.person:g} s; start again") from None
        finally:
            await self._browser.close()
        yield token

    async def _with_code(
        self, sign_in: SignIn, endpoint: TokenEndpoint
    ) -> AsyncGenerator[SignInStep | AccountToken, None]:
        from zot_provider.auth.flows.device import DeviceSignIn  # noqa: PLC0415  one flow needs one module

        device = DeviceSignIn(sign_in, endpoint, self._limits)
        code = await device.open()
        yield EnterCode(code.code, code.url, code.seconds)
        yield await device.token()


def _checking(provider: Provider) -> SignInProgress:
    return SignInProgress(f"checking the key with {provider.title}")
