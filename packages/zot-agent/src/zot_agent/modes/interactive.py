"""The chat screen on a terminal. It is drawn first; then the modules of the agent are loaded and the host is built."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from zot_agent.host.options import HostOptions
from zot_agent.signals import hold_end_signals
from zot_agent.ui.screen import check_terminal
from zot_agent.ui.start import StartScreen
from zot_core.aio import spawn
from zot_core.errors import SessionLocked
from zot_provider.errors import MissingKey
from zot_provider.messages import ImageBlock

if TYPE_CHECKING:
    from zot_agent.host.host import Host
    from zot_agent.ui.chat import ChatScreen
    from zot_tui.theme.detect import Background


async def run(
    open_host: "Callable[[HostOptions], Host]",
    options: HostOptions,
    prompt: str = "",
    images: Sequence[ImageBlock] = (),
) -> int:
    """Show the screen until the user quits and return the exit code.

    Raises `ConfigError` and `SessionError`, including the errors of `open_host`; a user without a key is asked for one
    first.
    """
    check_terminal(os.environ)
    start = StartScreen()
    chat: ChatScreen | None = None
    with hold_end_signals() as early:
        try:
            async with start.app as app:
                for number in early:
                    signal.raise_signal(number)
                background = spawn(app.window.background(), "background")
                for module in ("zot_agent.host.build", "zot_agent.ui.chat"):
                    await asyncio.to_thread(import_module, module)  # keys are shown meanwhile
                host = await _open(open_host, options, start)
                if host is not None and not app.end.reached:
                    chat = _chat(host, start)
                    await _drive(chat, host, await background, prompt, images)
                    app.leave_behind = chat.tail()
        finally:
            if chat is not None:
                with contextlib.suppress(Exception):
                    await chat.controller.close()
    return 128 + app.end.signum if app.end.signum else 0


def _chat(host: "Host", start: StartScreen) -> "ChatScreen":
    from zot_agent.ui.chat import ChatScreen  # noqa: PLC0415  only loaded after the first drawing

    # A person may begin to type as soon as there is an editor, so the questions of the start wait for a pause; unless
    # a prompt has been sent by now.
    start.view.stack.touch()
    return ChatScreen(host, start)


async def _open(open_host: "Callable[[HostOptions], Host]", options: HostOptions, start: StartScreen) -> "Host | None":
    """Build the host; None if the app has ended before."""
    app = start.app
    try:
        return open_host(options)
    except MissingKey:
        from zot_agent.ui.first_run.welcome import welcome  # noqa: PLC0415  only for users without a key

        chosen = await welcome(options, app)
        if chosen is not None:
            host = open_host(chosen.options)
            host.notes += filter(None, [chosen.note])
            return host
        if app.end.signum is None:
            raise
        return None
    except SessionLocked:
        from zot_agent.ui.questions.locked_session import ask_to_copy  # noqa: PLC0415  rarely needed

        if await ask_to_copy(app, start.view.stack):
            return open_host(options.replace(fork=True))
        if app.end.signum is None:
            raise
        return None


async def _announce_update(chat: "ChatScreen", loading: "asyncio.Task[None]") -> None:
    """Look for a new version of zot when all else is loaded."""
    await asyncio.wait([loading])
    from zot_agent.ui.update_notice import announce_update  # noqa: PLC0415  as above

    await announce_update(chat.controller)


async def _drive(
    chat: "ChatScreen", host: "Host", background: "Background | None", prompt: str, images: Sequence[ImageBlock]
) -> None:
    """Show what there is to ask, send the first prompt, and wait until the user quits."""
    from zot_agent.host.permissions import mode_is_open  # noqa: PLC0415  as above
    from zot_agent.ui.loading import load_rest  # noqa: PLC0415  as above

    loading = spawn(load_rest(), "loading")
    chat.controller.dispatch.begin(_announce_update(chat, loading))
    themes, begin = chat.controller.themes, chat.controller.dispatch.begin
    themes.background = background
    if background == "light" or host.settings.theme:
        themes.use(host.settings.theme)
    begin(chat.card.look_up())
    if host.settings.keymap:
        begin(chat.check_keys(host.settings.keymap))
    if mode_is_open(host.options, host.settings):
        begin(_offer_mode(chat, prompt, images))
    else:
        _begin(chat, prompt, images)
    await chat.app.wait()
    loading.cancel()


async def _offer_mode(chat: "ChatScreen", prompt: str, images: Sequence[ImageBlock]) -> None:
    """Let the person choose, and then begin: the first prompt waits for the answer."""
    from zot_agent.ui.first_run.mode_offer import offer_mode  # noqa: PLC0415  once for each person

    await offer_mode(chat.controller)
    _begin(chat, prompt, images)


def _begin(chat: "ChatScreen", prompt: str, images: Sequence[ImageBlock]) -> None:
    """Ask about the project, and send the first prompt."""
    from zot_agent.ui.questions.project import ask_about_project  # noqa: PLC0415  as above

    host, begin = chat.controller.host, chat.controller.dispatch.begin
    if host.choice is not None and host.choice.undecided is not None:
        begin(ask_about_project(chat.controller))
    if host.choice is not None and host.choice.waiting:
        from zot_agent.ui.questions.extension_permissions import ask_about_extensions  # noqa: PLC0415  rarely needed

        begin(ask_about_extensions(chat.controller))
    if host.options.resume:
        begin(_resume(chat, prompt, images))
    elif prompt or images:
        chat.controller.send(prompt, images)


async def _resume(chat: "ChatScreen", prompt: str, images: Sequence[ImageBlock]) -> None:
    """Have a session chosen, and send the first prompt to it; without a choice it is the beginning of a new one."""
    from zot_agent.ui.commands.session.stored_sessions import sessions  # noqa: PLC0415  as above

    await sessions(chat.controller, "")
    if prompt or images:
        chat.controller.send(prompt, images)
