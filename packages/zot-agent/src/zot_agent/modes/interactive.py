"""The chat screen: connects host, presenter, controller and screen, and runs them on a terminal."""

import contextlib
import os
from collections.abc import Iterable, Sequence

from zot_agent.config.paths import zot_home
from zot_agent.host.host import Host
from zot_agent.ui.bindings import ACTIONS, keymap, unsupported_keys
from zot_agent.ui.controller import Controller
from zot_agent.ui.input.prompt_input import PLACEHOLDER
from zot_agent.ui.loading import load_rest
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.project_question import ask_about_project
from zot_agent.ui.screen import Screen, check_terminal
from zot_core.aio import spawn
from zot_provider.messages import ImageBlock
from zot_tui.app import App
from zot_tui.terminal.screen import AppScreen
from zot_tui.theme import builtin
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.spinner import Spinner
from zot_tui.widgets.status import Status
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.transcript import Transcript

TAIL = 40
"""Rows of the conversation printed to the main screen on exit."""


class ChatScreen:
    """The parts of the chat screen: `app` can be entered, `controller` drives it."""

    def __init__(self, host: Host, screen: AppScreen | None = None) -> None:
        theme = builtin("dark")
        frames = theme.spinner.frames or CellStyle().frames
        style = CellStyle(framed=host.settings.tool_render == "box", frames=frames)
        keys, problems = keymap(host.settings.keymap)
        self.app = App(theme=theme, screen=screen)
        transcript = Transcript()
        spinner = Spinner(theme.spinner, self.app.after, self._on_spin)
        self.view = Screen(transcript, EditorWidget(placeholder=PLACEHOLDER), spinner, Status())
        self.app.root = self.view.stack
        self.presenter = Presenter(transcript, style, lambda: host.runtime.agent.tools)
        transcript.outdated.connect(self.app.redraw)
        transcript.older_wanted.connect(self.presenter.history.more)
        self.controller = Controller(host, self.app, self.view, self.presenter, keys, ACTIONS, home=zot_home())
        host.conversation.confirm = self.controller.permission
        self._frame = 0
        for note in (*host.notes, *problems):
            self.presenter.note(note, "warning")
        self.presenter.history.show(host.runtime.messages)
        if recovered := self.controller.prompt_input.recover():
            self.controller.note(recovered)
        if host.settings.editor_mode == "vi":
            self.controller.prompt_input.toggle_vi()
        self.controller.refresh()

    def _on_spin(self) -> None:
        self._frame += 1
        self.presenter.spin(self._frame)
        self.app.redraw()

    async def check_keys(self, chords: Iterable[str]) -> None:
        """Show a note for each of the user's chords that this terminal cannot report."""
        for each in await unsupported_keys(chords, self.app.screen):
            self.presenter.note(each, "warning")
        self.app.redraw()

    def tail(self) -> str:
        """Return the end of the conversation as text, for the main screen."""
        columns = self.app.size[0]
        return "\n".join(line.rstrip() for line in self.view.transcript.lines(columns, TAIL))


async def run(host: Host, prompt: str = "", images: Sequence[ImageBlock] = ()) -> int:
    """Show the screen until the user quits and return the exit code. Raises `ConfigError` (see `check_terminal`)."""
    check_terminal(os.environ)
    chat = ChatScreen(host)
    try:
        async with chat.app as app:
            loading = spawn(load_rest(), "loading")
            themes = chat.controller.themes
            themes.background = await app.background()
            if themes.background == "light" or host.settings.theme:
                themes.use(host.settings.theme)
            if host.choice is not None and host.choice.undecided is not None:
                chat.controller.dispatch.begin(ask_about_project(chat.controller))
            if host.settings.keymap:
                chat.controller.dispatch.begin(chat.check_keys(host.settings.keymap))
            if prompt or images:
                chat.controller.send(prompt, images)
            await app.wait()
            loading.cancel()
            app.leave_behind = chat.tail()
    finally:
        with contextlib.suppress(Exception):
            await chat.controller.close()
    if app.signum:
        return 128 + app.signum
    return os.EX_OK
