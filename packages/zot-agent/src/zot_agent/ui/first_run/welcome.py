"""The first-run screen, for a user without a key: the ways to start, a sign-in, and a prompt for a key."""

import asyncio
import os
from typing import Any, NamedTuple

from zot_agent.config.paths import zot_home
from zot_agent.host.build import open_registry
from zot_agent.host.extensions import open_providers
from zot_agent.host.options import HostOptions
from zot_agent.local.pick import ServerCandidate, local_provider, server_candidates, server_models
from zot_agent.ui.first_run.check import FirstRun, Server, StartOption, find_servers, guess_key, start_options
from zot_agent.ui.questions.sign_in import sign_in
from zot_core.aio import finish, spawn
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import Method, SignInSession
from zot_provider.errors import ConfigError, ZotError
from zot_provider.providers.spec import Provider
from zot_tui.app import App
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width
from zot_tui.text.wrap import wrap
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import TextInput
from zot_tui.widgets.dialogs.stack import Stack
from zot_tui.widgets.scroll import MARGIN, Scroll
from zot_tui.widgets.transcript.chunks import Chunk

_WIDE = 60  # cells
_AT_ONCE = 0.3
"""Seconds to wait for local servers before the first question, in which they come first; others are added to it."""

ADDRESS_SECONDS = 5.0
"""Seconds for a server at an address that was typed to list its models."""

_SEARCHING = "Looking for local servers..."
_NO_SERVER = "No local server answers; zot doctor shows where zot looked."


class Welcomed(NamedTuple):
    """The options to start with, and a line for the person: where a key was stored, and whether it could be checked."""

    options: HostOptions
    note: str = ""


class _Start(NamedTuple):
    """How the user wants to start: with an account, a key, a local server, or the demo model in this process."""

    kind: str
    server: Server | None = None


async def welcome(options: HostOptions, app: App) -> Welcomed | None:
    """Ask in place of the app's content; return what the user chose to start with, or None if they quit."""
    found = start_options()
    before, text = app.root, Scroll(lambda: [Chunk(lambda columns: page(found, columns))])
    stack = Stack(text)
    stack.changed.connect(app.redraw)
    asked = _Welcome(stack, app, found, options)

    def changed() -> None:
        text.changed()
        asked.changed()
        app.redraw()

    searching = spawn(find_servers(found, server_candidates(os.environ), changed), "local servers")
    try:
        await asyncio.wait([searching], timeout=_AT_ONCE)
        app.root = stack
        asking = spawn(asked.ask(), "welcome")
        ended = spawn(app.wait(), "end of the app")
        await asyncio.wait((asking, ended), return_when=asyncio.FIRST_COMPLETED)
        app.root = before
    finally:
        searching.cancel()
        await finish(searching)
        if asked.served is not None:
            await asked.served.close()
    if not ended.done():
        ended.cancel()
        return await asking
    asking.cancel()
    await ended  # raises what ended the app
    return None


def page(found: FirstRun, columns: int) -> list[Row[Any]]:
    """Return the rows that list the ways to start, in groups; on a wide screen each has its description beside it."""
    groups = found.options()
    room = columns // 2 - 2 * len(MARGIN) if columns >= _WIDE else 0
    typed = [width(option.typed) for group in groups for option in group]
    beside = max((cells for cells in typed if cells <= room), default=0)
    rows = _text("No API key is set. Any one of these is enough to start:", "text", columns)
    for group in groups:
        rows += [[], *(_text(_SEARCHING if found.searching else _NO_SERVER, "muted", columns) if not group else [])]
        for option in group:
            rows += _option(option, beside, columns)
    return rows


def _text(text: str, style: str, columns: int, indent: str = MARGIN) -> list[Row[Any]]:
    return [*wrap([(style, text)], columns, first=[(None, indent)], rest=[(None, indent)])]


def _option(option: StartOption, beside: int, columns: int) -> list[Row[Any]]:
    """Return what to type and its description, which begins after `beside` cells, or is below if that is too narrow."""
    typed, text = sanitize_line(option.typed), sanitize_line(option.text)
    indent = MARGIN + " " * (beside + len(MARGIN) if beside else len(MARGIN))
    if width(typed) > beside:
        return [*_text(typed, "text", columns), *_text(text, "muted", columns, indent)]
    head: Row[Any] = [("text", MARGIN + pad(typed, len(indent) - len(MARGIN)))]
    return [*wrap([("muted", text)], columns, first=head, rest=[(None, indent)])]


class _Welcome:
    """The questions of the screen."""

    def __init__(self, stack: Stack, app: App, found: FirstRun, options: HostOptions) -> None:
        self._stack, self._app, self._found, self._options = stack, app, found, options
        self._registry = open_registry(zot_home())
        self.served = open_providers(self._registry, options)
        self._first: Picker[_Start] | None = None
        self._ways = {"account": self._ask_account, "key": self._ask_key, "address": self._ask_address}

    async def ask(self) -> Welcomed | None:
        """Ask until the user has chosen something that works; None if they quit."""
        problem = ""
        while True:
            self._first = Picker("How do you want to start?", self._starts(), note=problem)
            start = await self._stack.ask(self._first)
            if start is None or start.kind == "leave":
                return None
            if start.server is not None:
                server = start.server
                place = {"provider": server.provider, "model": server.model, "base_url": server.base_url}
                return Welcomed(self._options.replace(**place))
            if start.kind == "demo":
                return Welcomed(self._options.replace(provider=local_provider().id, model="", base_url=""))
            try:
                chosen = await self._ways[start.kind]()
            except ZotError as error:
                problem = str(error)
                continue
            if chosen is not None:
                return chosen
            problem = ""

    def changed(self) -> None:
        """Offer the servers that have been found by now."""
        if self._first is not None:
            self._first.set_items(self._starts())

    def _starts(self) -> list[PickerItem[_Start]]:
        servers = [
            PickerItem(_Start("server", each), f"use {each.title}", f"{each.model} at {each.base_url}")
            for each in self._found.servers
        ]
        demo = [PickerItem(_Start("demo"), "use the demo model", "to try zot out; its answers are poor")]
        return [
            *servers,
            PickerItem(
                _Start("account"), "sign in with an account", ", ".join(each.title for each in self._accounts())
            ),
            PickerItem(_Start("key"), "paste an API key", "it is checked and stored"),
            PickerItem(_Start("address"), "use a server at an address", "any that speaks OpenAI's API"),
            *(demo if self._found.demo_ready else []),
            PickerItem(_Start("leave"), "quit", "and set a variable first"),
        ]

    def _accounts(self) -> list[Provider]:
        return [each for each in self._registry.providers if each.sign_in]

    async def _ask_account(self) -> Welcomed | None:
        items = [PickerItem(each, each.sign_in.title, each.id) for each in self._accounts() if each.sign_in]
        provider = await self._stack.ask(Picker("Sign in with", items))
        return None if provider is None else await self._sign_in(provider, "account")

    async def _ask_address(self) -> Welcomed | None:
        """Ask for the address of a server, and for one of its models. Raises `ZotError`."""
        url = await self._stack.ask(TextInput("Address of the server", placeholder="http://HOST:PORT/v1"))
        if not url or not url.strip():
            return None
        provider, url = local_provider(), url.strip()
        models = await server_models(ServerCandidate(provider.title, provider, url), ADDRESS_SECONDS)
        if not models:
            raise ConfigError(f"no server that lists models answers at {url}; is it running, and is /v1 missing?")
        model = (
            models[0]
            if len(models) == 1
            else await self._stack.ask(Picker("Which model?", [PickerItem(each, each) for each in models]))
        )
        if model is None:
            return None
        return Welcomed(self._options.replace(provider=provider.id, model=model, base_url=url))

    async def _ask_key(self) -> Welcomed | None:
        field = TextInput("Paste a key", masked=True, check=lambda text: guess_key(text).problem)
        text = await self._stack.ask(field)
        if text is None:
            return None
        guess = guess_key(text, self._registry.providers)
        providers = guess.providers or [each for each in self._registry.providers if each.key_env and not each.keyless]
        provider: Provider | None = providers[0]
        if len(providers) > 1:
            items = [PickerItem(each, each.title, each.id) for each in providers]
            provider = await self._stack.ask(Picker("Which provider is this key for?", items))
        return None if provider is None else await self._sign_in(provider, "key", guess.key)

    async def _sign_in(self, provider: Provider, method: Method, key: str = "") -> Welcomed | None:
        """Sign in, with this key if there is one. Raises `ZotError`."""
        registry, options = self._registry, self._options
        keys = PersonalKeys(zot_home(), registry.environ)
        session = SignInSession(registry, keys, provider.id, method)
        if key:
            session.paste(key)
        removed = [variable for each in registry.providers for variable in each.key_env]
        done = await sign_in(self._stack.ask, self._app, session, f"Sign in to {provider.title}", removed)
        if done is None:
            return None
        fits = options.provider == provider.id or registry.find(provider.id, options.model) is not None
        options = options.replace(provider=provider.id, model=options.model if fits else "", api_key="")
        return Welcomed(options, sanitize_line(done.text))
