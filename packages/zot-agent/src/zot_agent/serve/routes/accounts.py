"""`AccountRoutes`: the keys and sign-ins of the person who runs `zot serve`, for the page and other clients."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from zot_agent.host.accounts import account_lines, find_provider, sign_out
from zot_agent.host.extensions import open_providers
from zot_agent.host.options import HostOptions
from zot_agent.serve.http_error import HttpError, JsonResponse, json_object
from zot_agent.serve.limits import ServeLimits
from zot_core.aio import spawn
from zot_provider.auth.keys import add_key
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import SignInSession
from zot_provider.auth.steps import (
    AskCode,
    ConfirmTerms,
    EnterCode,
    Mistake,
    NotSignedIn,
    OpenPage,
    SignedIn,
    SignInProgress,
    SignInStep,
)
from zot_provider.errors import ConfigError
from zot_provider.json_text import dump
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry

ANYWHERE = ("device", "program")
"""The kinds of sign-in that need no browser on this machine."""


class AccountRoutes:
    """The endpoints below `/accounts`. No answer holds a key.

    `registry` returns the providers and the person's keys as they are now; the providers of extensions are added, which
    `options` name. An account is offered if its sign-in works on any machine: with a code that the person types, or
    carried out by an extension. The browser may not be on the machine of the server.
    """

    def __init__(
        self,
        registry: Callable[[], ModelRegistry],
        body: Callable[[Request], Awaitable[bytes]],
        limits: ServeLimits,
        options: HostOptions,
    ) -> None:
        """`body` reads the body of a request."""
        self._registry, self._body, self._limits, self._options = registry, body, limits, options
        self._sign_ins: dict[str, SignInSession] = {}

    async def list(self, request: Request) -> Response:
        """List the providers that can have a key, and where the key of each is."""
        registry, keys = self._keys()
        open_providers(registry, self._options)
        providers = {each.id: each for each in registry.providers}
        lines = [_described(line, providers.get(line.provider)) for line in account_lines(registry, keys)]
        return JsonResponse({"accounts": lines, "notes": keys.notes()})

    async def add(self, request: Request) -> Response:
        """Store a key after the provider has accepted it."""
        key = (await self._fields(request)).get("key")
        if not isinstance(key, str):
            raise HttpError(400, "key must be a string")
        registry, keys = self._keys()
        open_providers(registry, self._options)
        provider = find_provider(registry, request.path_params["provider"])
        if not provider.key_env:
            raise HttpError(400, f"{provider.id} takes no API key")
        return JsonResponse({"text": await add_key(registry, keys, provider, key)})

    async def remove(self, request: Request) -> Response:
        """Delete what is stored for a provider."""
        registry, keys = self._keys()
        open_providers(registry, self._options)
        name = request.path_params["provider"]
        lines = await sign_out(registry, keys, name)
        if not lines:
            raise HttpError(404, f"nothing is stored for {name}")
        return JsonResponse({"text": "; ".join(lines)})

    async def sign_in(self, request: Request) -> Response:
        """Sign in with an account; the answer is a stream of lines, which ends the sign-in when it is closed."""
        agreed = (await self._fields(request)).get("agree") is True
        registry, keys = self._keys()
        served = open_providers(registry, self._options)
        provider = find_provider(registry, request.path_params["provider"])
        if provider.sign_in is None or provider.sign_in.flow not in ANYWHERE:
            raise HttpError(400, f"{provider.id} has no sign-in with a code; run zot auth login {provider.id}")
        if provider.sign_in.terms and not agreed:
            raise HttpError(403, f"agree first: {provider.sign_in.terms}")
        if len(self._sign_ins) >= self._limits.sign_ins:
            raise HttpError(429, f"{self._limits.sign_ins} sign-ins are open already")
        id = secrets.token_hex(8)
        self._sign_ins[id] = session = SignInSession(registry, keys, provider.id, "account")

        async def ended() -> None:
            del self._sign_ins[id]
            if served is not None:
                await served.close()

        return _SignInLines(id, session, ended, self._limits)

    async def answer(self, request: Request) -> Response:
        """Pass on what the person has typed for an open sign-in."""
        session = self._sign_ins.get(request.path_params["id"])
        text = (await self._fields(request)).get("text")
        if not isinstance(text, str):
            raise HttpError(400, "text must be a string")
        if session is None:
            raise HttpError(404, "this sign-in is over")
        session.paste(text)
        return Response(status_code=204)

    # Internal.

    def _keys(self) -> tuple[ModelRegistry, PersonalKeys]:
        registry = self._registry()
        if not isinstance(registry.credentials, PersonalKeys):
            raise ConfigError("this server was started with its own keys")
        return registry, registry.credentials

    async def _fields(self, request: Request) -> dict[str, Any]:
        return json_object(await self._body(request) or b"{}")


def _described(line: Any, provider: Provider | None) -> dict[str, Any]:
    """Return the JSON of a line, with what a person can do for the provider."""
    sign_in = provider.sign_in if provider is not None else None
    account = sign_in if sign_in is not None and sign_in.flow in ANYWHERE else None
    return {
        **{name: getattr(line, name) for name in line.__match_args__},
        "title": provider.title if provider is not None else line.provider,
        "text": line.text,
        "takes_key": provider is not None and bool(provider.key_env),
        "sign_in": account.title if account is not None else "",
        "terms": account.terms if account is not None else "",
    }


class _SignInLines(Response):
    """The steps of the sign-in `id` as JSON lines, and empty lines while nothing happens."""

    def __init__(
        self, id: str, session: SignInSession, ended: Callable[[], Awaitable[None]], limits: ServeLimits
    ) -> None:
        super().__init__()
        self._id, self._session, self._ended, self._limits = id, session, ended, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request; see the ASGI specification. A client that leaves ends the sign-in."""
        lines: asyncio.Queue[str] = asyncio.Queue()
        tasks = [
            spawn(self._follow(lines), "sign in"),
            spawn(self._write(lines, send), "write a sign-in"),
            spawn(_until_gone(receive), "watch for the end of a sign-in"),
        ]
        try:
            await asyncio.wait(tasks[1:], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._ended()

    async def _follow(self, lines: asyncio.Queue[str]) -> None:
        """Run the sign-in; the last line is empty."""
        try:
            async with aclosing(self._session.steps()) as steps:
                async for step in steps:
                    if isinstance(step, ConfirmTerms):
                        self._session.agree()
                    else:
                        lines.put_nowait(dump(self._json(step)))
        finally:
            lines.put_nowait("")

    async def _write(self, lines: asyncio.Queue[str], send: Send) -> None:
        headers = [(b"content-type", b"application/x-ndjson"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        line = "-"
        while line:
            try:
                async with asyncio.timeout(self._limits.heartbeat_seconds):
                    line = await lines.get()
                text = f"{line}\n" if line else ""
            except TimeoutError:
                text = "\n"
            await send({"type": "http.response.body", "body": text.encode(), "more_body": bool(line)})

    def _json(self, step: SignInStep) -> dict[str, Any]:
        match step:
            case EnterCode(code, url, seconds):
                return {"type": "enter_code", "code": code, "url": url, "seconds": seconds}
            case OpenPage(url):
                return {"type": "open_page", "url": url}
            case AskCode():
                return {"type": "ask", "sign_in": self._id}
            case SignedIn(provider, text):
                return {"type": "signed_in", "provider": provider, "text": text}
            case NotSignedIn(error):
                return {"type": "failed", "error": str(error)}
            case ConfirmTerms(text) | SignInProgress(text) | Mistake(text):
                return {"type": "progress", "text": text}
            case _:
                return {"type": "progress", "text": ""}


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
