"""`ExtensionSignIn`: a sign-in that an extension carries out. zot stores what it returns."""

import asyncio
import itertools
import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.providers.client import ask
from zot_core.aio import cancel_soon, spawn
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.from_host import CancelRequest
from zot_ext.protocol.groups.providers import ProviderInput, ProviderQuestion, ProviderResult, ProviderStep
from zot_ext.protocol.raw import RawObject
from zot_provider.auth.entry import AccountToken
from zot_provider.auth.flows.device import CODE_LENGTH, is_safe
from zot_provider.auth.oauth import SignInFailed, positive_number
from zot_provider.auth.secrets import remember_secret
from zot_provider.auth.steps import AskCode, EnterCode, OpenPage, SignInProgress, SignInStep
from zot_provider.errors import ProviderError

_ids = itertools.count(1)

_KNOWN = ("access", "refresh", "expires")


class ExtensionSignIn:
    """Signs in to the provider `name` through the extension that `connect` returns. See `SignInProgram`."""

    def __init__(
        self, name: str, connect: Callable[[], Awaitable[Connection]], limits: Callable[[], ExtensionLimits]
    ) -> None:
        self._name, self._connect, self._limits = name, connect, limits

    async def login(self, answers: Any) -> AsyncGenerator[SignInStep | AccountToken, None]:
        try:
            connection = await self._connect()
        except ProviderError as error:
            raise SignInFailed(str(error)) from None
        limits, id = self._limits(), f"login-{next(_ids)}"
        steps = connection.answers.steps[id] = asyncio.Queue[ProviderStep]()
        request = ProviderQuestion(id, self._name, "login")
        result = spawn(ask(connection, request, limits.sign_in_seconds), f"sign in to {self._name}")
        typed = spawn(_pass_on(answers, connection, id), f"input for {self._name}")
        next_step = spawn(steps.get(), "step")
        try:
            while not result.done() or next_step.done():
                await asyncio.wait([result, next_step], return_when=asyncio.FIRST_COMPLETED)
                if next_step.done():
                    for each in self._shown(next_step.result(), limits):
                        yield each
                    next_step = spawn(steps.get(), "step")
                    await asyncio.sleep(0)  # the next step may be there
            yield _token(await result, AccountToken(""))
        except ProviderError as error:
            raise error if isinstance(error, SignInFailed) else SignInFailed(str(error)) from None
        finally:
            if not result.done():
                connection.send(CancelRequest(id))
            del connection.answers.steps[id]
            for task in (result, typed, next_step):
                cancel_soon(task)

    async def refresh(self, token: AccountToken) -> AccountToken:
        sent = token.rest | {"access": token.access, "refresh": token.refresh, "expires": token.expires}
        credentials = RawObject.from_value({name: value for name, value in sent.items() if value})
        request = ProviderQuestion(f"refresh-{next(_ids)}", self._name, "refresh", credentials=credentials)
        try:
            result = await ask(await self._connect(), request, self._limits().provider_seconds)
        except ProviderError as error:
            raise SignInFailed(str(error), retryable=error.retryable) from None
        return _token(result, token)

    def _shown(self, step: ProviderStep, limits: ExtensionLimits) -> list[SignInStep]:
        if (
            (step.url and not is_safe(step.url))
            or len(step.user_code) > CODE_LENGTH
            or not step.user_code.isprintable()
        ):
            raise SignInFailed("the extension sent a code or an address that zot does not show")
        shown: list[SignInStep] = [SignInProgress(step.message)] if step.message else []
        if step.url and step.user_code:
            shown.append(EnterCode(step.user_code, step.url, limits.sign_in_seconds))
        elif step.url:
            shown.append(OpenPage(step.url))
        return [*shown, AskCode(self._name)] if step.ask else shown


async def _pass_on(answers: Any, connection: Connection, id: str) -> None:
    while True:
        connection.send(ProviderInput(id, (await answers.get()).strip()))


def _token(result: ProviderResult, before: AccountToken) -> AccountToken:
    """Return the token in a result. Raises `SignInFailed`."""
    if result.error:
        raise SignInFailed(" ".join(result.error.split())[:400], ended=result.ended, retryable=not result.ended)
    given = {} if result.result is None else result.result.value
    access, refresh = (value if isinstance(value := given.get(name), str) else "" for name in ("access", "refresh"))
    if not access:
        raise SignInFailed("the extension returned no token")
    remember_secret(access)
    remember_secret(refresh)
    expires = min(positive_number(given.get("expires")), math.floor(2**33))
    rest = before.rest | {name: value for name, value in given.items() if name not in _KNOWN}
    return before.replace(access=access, refresh=refresh or before.refresh, expires=expires, rest=rest)
