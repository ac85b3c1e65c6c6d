"""The screen of a person who has no key yet: what there is to begin with, and a key for this run."""

import os
from typing import Any, NamedTuple

from zot_agent.host.options import Options
from zot_agent.local.pick import any_server
from zot_agent.ui.first_run.first_run import FirstRun, Server, Way, first_run, key_kind
from zot_agent.ui.suited import check_terminal
from zot_core.aio import spawn
from zot_provider.providers.spec import Provider
from zot_tui.app import App
from zot_tui.terminal.screen import AppScreen
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width
from zot_tui.text.wrap import wrap
from zot_tui.theme import builtin
from zot_tui.widgets.dialogs.picker import Item, Picker
from zot_tui.widgets.dialogs.questions import TextInput
from zot_tui.widgets.dialogs.stack import Stack
from zot_tui.widgets.scroll import MARGIN, Scroll

_WIDE = 60  # cells
_NO_SERVER = "No local server answers; zot doctor says where it looked."


class _Way(NamedTuple):
    """A way to go on: with a key, a local server, or the model in this process."""

    kind: str
    server: Server | None = None


async def welcome(options: Options, screen: AppScreen | None = None) -> Options | None:
    """What the person chose to go on with; None if they leave. Raises `ConfigError` where no screen can be drawn."""
    check_terminal(os.environ)
    found = await first_run(os.environ)
    stack = Stack(Scroll(lambda columns: page(found, columns)))
    app = App(stack, screen=screen)
    stack.on_change = app.redraw
    chosen: list[Options] = []

    async def ask() -> None:
        answer = await _ask(stack, found, options)
        if answer is not None:
            chosen.append(answer)
        app.exit()

    async with app:
        asking = spawn(ask(), "welcome")
        if await app.background() == "light":
            app.theme = builtin("light")
        await app.wait()
        asking.cancel()
    return chosen[0] if chosen else None


def page(found: FirstRun, columns: int) -> list[Row[Any]]:
    """What there is to begin with, a group below the other. On a wide screen what a way is for stands beside it."""
    groups = found.ways()
    room = columns // 2 - len(MARGIN) if columns >= _WIDE else 0
    typed = [width(way.typed) for group in groups for way in group]
    beside = max((cells for cells in typed if cells <= room), default=0)
    rows = _text("No key is set yet. Any of these is enough:", "text", columns)
    for group in groups:
        rows += [[], *(_text(_NO_SERVER, "muted", columns) if not group else [])]
        for way in group:
            rows += _way(way, beside, columns)
    return rows


def _text(text: str, style: str, columns: int, indent: str = MARGIN) -> list[Row[Any]]:
    return [*wrap([(style, text)], columns, first=[(None, indent)], rest=[(None, indent)])]


def _way(way: Way, beside: int, columns: int) -> list[Row[Any]]:
    """What to type, and what it is for: behind `beside` cells if there are any, and below it if it is longer."""
    typed, text = sanitize_line(way.typed), sanitize_line(way.text)
    indent = MARGIN + " " * (beside + len(MARGIN) if beside else len(MARGIN))
    if width(typed) > beside:
        return [*_text(typed, "text", columns), *_text(text, "muted", columns, indent)]
    head: Row[Any] = [("text", MARGIN + pad(typed, len(indent) - len(MARGIN)))]
    return [*wrap([("muted", text)], columns, first=head, rest=[(None, indent)])]


async def _ask(stack: Stack, found: FirstRun, options: Options) -> Options | None:
    while True:
        way = await stack.ask(Picker("How do you want to go on?", _ways(found)))
        if way is None or way.kind == "leave":
            return None
        if way.server is not None:
            server = way.server
            return options.replace(provider=server.provider, model=server.model, base_url=server.base_url)
        if way.kind == "demo":
            return options.replace(provider=any_server().id, model="", base_url="")
        answer = await _ask_key(stack, options)
        if answer is not None:
            return answer


def _ways(found: FirstRun) -> list[Item[_Way]]:
    servers = [
        Item(_Way("server", each), f"use {each.title}", f"{each.model} at {each.base_url}") for each in found.servers
    ]
    demo = [Item(_Way("demo"), "use the demo model", "it proves the plumbing, not the quality")]
    return [
        *servers,
        Item(_Way("key"), "paste a key", "for this run; it is kept in memory alone"),
        *(demo if found.demo_ready else []),
        Item(_Way("leave"), "leave", "and set a variable first"),
    ]


async def _ask_key(stack: Stack, options: Options) -> Options | None:
    text = await stack.ask(TextInput("Paste a key", masked=True, check=lambda text: key_kind(text).problem))
    if text is None:
        return None
    guess = key_kind(text)
    providers = guess.providers or _with_keys()
    provider: Provider | None = providers[0]
    if len(providers) > 1:
        provider = await stack.ask(Picker("Whose key is it?", [Item(each, each.title, each.id) for each in providers]))
    return None if provider is None else options.replace(provider=provider.id, api_key=guess.key)


def _with_keys() -> list[Provider]:
    from zot_provider.providers import PROVIDERS  # noqa: PLC0415  rarely needed

    return [provider for provider in PROVIDERS if provider.key_env]
