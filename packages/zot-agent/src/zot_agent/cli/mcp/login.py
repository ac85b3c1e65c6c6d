"""`zot mcp login NAME`: signs in to a server behind a URL, as `/mcp login NAME` does on the screen."""

import asyncio
import os
import sys

from zot_agent.browser import open_browser
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.mcp.servers import named_servers, python
from zot_agent.config.paths import zot_home
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import build_host, open_registry
from zot_agent.host.options import HostOptions
from zot_core.conversation.commands import CommandError
from zot_core.conversation.dialogs import DialogAnswer, ExtensionDialog
from zot_core.conversation.events import Display
from zot_core.conversation.extensions import FrontEndActions
from zot_provider.errors import ConfigError, UnknownName


def log_in(name: str) -> int:
    """Sign in to an MCP server in a browser.

    NAME: the server
    """
    found, _ = named_servers()
    names = [each.name for each in found if each.state == "on"]
    if name not in names:
        raise UnknownName.among("MCP server", name, names, "" if names else "(none is used here)")
    python()  # says so if it is not installed
    run_in_loop(_login(name))
    return 0


async def _login(name: str) -> None:
    # No model is asked, so any provider that needs no key will do.
    provider = next(each.id for each in open_registry(zot_home()).providers if each.keyless)
    host = build_host(HostOptions(no_session=True, provider=provider, model="none"))
    conversation = host.conversation
    conversation.actions = FrontEndActions(ask_person=_ask)
    conversation.events.add(lambda event: print_line(inline(event.text)) if isinstance(event, Display) else None)
    try:
        if host.extensions is not None:
            await host.extensions.ready()
        await conversation.run_command("mcp", f"login {name}")
    except CommandError as error:
        raise ConfigError(str(error)) from error
    finally:
        await host.close()


async def _ask(dialog: ExtensionDialog) -> DialogAnswer:
    """Show the page of a sign-in, open it, and return what the person types or pastes; nobody need type anything."""
    print_line(inline(dialog.title))
    for line in dialog.message.splitlines():
        print_line(inline(line))
        open_browser(line)
    loop, typed = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def read() -> None:
        text = os.read(sys.stdin.fileno(), 1 << 16)
        if not text:
            loop.remove_reader(sys.stdin.fileno())
        elif not typed.done():
            typed.set_result(text.decode(errors="replace").strip())

    if not sys.stdin.isatty():
        await typed  # until the sign-in is over
    loop.add_reader(sys.stdin.fileno(), read)
    try:
        return DialogAnswer(await typed)
    finally:
        loop.remove_reader(sys.stdin.fileno())
