"""The first-run screen, for a user without a key: the ways to start, and a prompt for a key."""

import asyncio
import os
from typing import Any, NamedTuple

from zot_agent.host.options import HostOptions
from zot_agent.local.pick import local_provider
from zot_agent.ui.first_run.check import FirstRun, Server, StartOption, find_start_options, guess_key
from zot_core.aio import spawn
from zot_provider.providers import PROVIDERS
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

_WIDE = 60  # cells
_NO_SERVER = "No local server answers; zot doctor shows where zot looked."


class _Start(NamedTuple):
    """How the user wants to start: with a key, a local server, or the demo model in this process."""

    kind: str
    server: Server | None = None


async def welcome(options: HostOptions, app: App) -> HostOptions | None:
    """Ask in place of the app's content; return the options that the user chose to start with, or None if they quit."""
    found = await find_start_options(os.environ)
    before, stack = app.root, Stack(Scroll(lambda columns: page(found, columns)))
    stack.changed.connect(app.redraw)
    app.root = stack
    asking, ended = spawn(_ask(stack, found, options), "welcome"), spawn(app.wait(), "end of the app")
    await asyncio.wait((asking, ended), return_when=asyncio.FIRST_COMPLETED)
    app.root = before
    if not ended.done():
        ended.cancel()
        return await asking
    asking.cancel()
    await ended  # raises what ended the app
    return None


def page(found: FirstRun, columns: int) -> list[Row[Any]]:
    """Return the rows that list the ways to start, in groups; on a wide screen each has its description beside it."""
    groups = found.options()
    room = columns // 2 - len(MARGIN) if columns >= _WIDE else 0
    typed = [width(option.typed) for group in groups for option in group]
    beside = max((cells for cells in typed if cells <= room), default=0)
    rows = _text("No API key is set. Any one of these is enough to start:", "text", columns)
    for group in groups:
        rows += [[], *(_text(_NO_SERVER, "muted", columns) if not group else [])]
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


async def _ask(stack: Stack, found: FirstRun, options: HostOptions) -> HostOptions | None:
    while True:
        start = await stack.ask(Picker("How do you want to start?", _starts(found)))
        if start is None or start.kind == "leave":
            return None
        if start.server is not None:
            server = start.server
            return options.replace(provider=server.provider, model=server.model, base_url=server.base_url)
        if start.kind == "demo":
            return options.replace(provider=local_provider().id, model="", base_url="")
        answer = await _ask_key(stack, options)
        if answer is not None:
            return answer


def _starts(found: FirstRun) -> list[PickerItem[_Start]]:
    servers = [
        PickerItem(_Start("server", each), f"use {each.title}", f"{each.model} at {each.base_url}")
        for each in found.servers
    ]
    demo = [PickerItem(_Start("demo"), "use the demo model", "to try zot out; its answers are poor")]
    return [
        *servers,
        PickerItem(_Start("key"), "paste a key", "for this run; kept in memory only"),
        *(demo if found.demo_ready else []),
        PickerItem(_Start("leave"), "quit", "and set a variable first"),
    ]


async def _ask_key(stack: Stack, options: HostOptions) -> HostOptions | None:
    text = await stack.ask(TextInput("Paste a key", masked=True, check=lambda text: guess_key(text).problem))
    if text is None:
        return None
    guess = guess_key(text)
    providers = guess.providers or [provider for provider in PROVIDERS if provider.key_env and not provider.keyless]
    provider: Provider | None = providers[0]
    if len(providers) > 1:
        provider = await stack.ask(
            Picker("Which provider is this key for?", [PickerItem(each, each.title, each.id) for each in providers])
        )
    return None if provider is None else options.replace(provider=provider.id, api_key=guess.key)
