"""`ChatScreen`: connects host, presenter, controller and screen."""

import os
from collections.abc import Iterable
from functools import partial
from typing import Any

from zot_agent.host.host import Host
from zot_agent.ui.bindings import ACTIONS, IN_DIALOGS, keymap, unsupported_keys
from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.controller import Controller
from zot_agent.ui.first_run.card import Card
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.settings.live import shown_rows
from zot_agent.ui.start import StartScreen
from zot_tui.keys.key import Key
from zot_tui.text.runs import Row
from zot_tui.widgets.transcript.cell import CellStyle

TAIL = 200
"""Rows of the conversation printed to the main screen on exit."""


class ChatScreen:
    """The chat screen of a host: `controller` drives the `app` and the `view` of a start screen."""

    def __init__(self, host: Host, start: StartScreen) -> None:
        self.app, self.view = start.app, start.view
        frames = self.app.theme.spinner.frames or CellStyle().frames
        style = CellStyle(
            framed=host.settings.tool_render == "box",
            frames=frames,
            gallery=lambda: self.app.gallery(enabled=host.settings.inline_images_enabled),
        )
        style.shown, style.sides = shown_rows(host.settings), host.settings.side_by_side
        keys, problems = keymap(host.settings.keymap)
        transcript, runtime = self.view.transcript, host.runtime
        self.presenter = Presenter(transcript, style, runtime.agent.tools, runtime.counter, lambda: runtime.totals)
        transcript.outdated.connect(self.app.redraw)
        transcript.patient = True  # an answer that grows does not hold up a key
        transcript.grown.connect(partial(self.app.redraw, waits=True))
        spinner = self.view.spinner
        spinner.turned.connect(self.presenter.spin)
        spinner.outdated.connect(self.app.redraw)
        self.app.pace.due.connect(spinner.turn)  # before what it changes in the transcript is shown
        self.app.pace.due.connect(transcript.show_growth)
        transcript.older_wanted.connect(self.presenter.history.more)
        self.view.stack.unused.connect(self._press_in_dialog)
        self.controller = Controller(host, self.app, self.view, self.presenter, keys, ACTIONS)
        if os.environ.get("ZOT_INLINE_IMAGES"):
            from zot_tui.image.protocol import problem  # noqa: PLC0415  rarely set

            host.notes += filter(None, [problem(os.environ)])
        for note in (*host.notes, *problems):
            self.presenter.note(note, "warning")
        self.presenter.resume(host.runtime.messages)
        self.card = Card(self.controller)
        if recovered := self.controller.prompt_input.recover():
            self.controller.note(recovered)
        self.app.mouse = host.settings.mouse
        if host.settings.editor_mode == "vi":
            self.controller.prompt_input.toggle_vi()
        self.controller.extension_view.use_modes()
        self.controller.refresh()
        self.view.editor.changed()  # complete and save what was typed before
        start.pass_on()

    def _press_in_dialog(self, key: Key) -> None:
        binding = self.controller.keys.keymap.find(key, (CHAT,))
        if binding is not None and binding.action in IN_DIALOGS:
            self.controller.keys.actions[binding.action]()

    async def check_keys(self, chords: Iterable[str]) -> None:
        """Show a note for each of the user's chords that this terminal cannot report."""
        for each in await unsupported_keys(chords, self.app.screen):
            self.presenter.note(each, "warning")
        self.app.redraw()

    def tail(self) -> list[Row[Any]]:
        """Return the end of the conversation, for the main screen."""
        self.card.hide()
        return self.view.transcript.last_rows(self.app.window.size[0], TAIL)
