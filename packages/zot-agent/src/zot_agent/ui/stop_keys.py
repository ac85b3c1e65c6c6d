"""`StopKeys`: what Esc, Ctrl+C and Ctrl+D close, stop or clear, and what a second press does."""

import asyncio

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.dispatch import CommandDispatcher
from zot_agent.ui.screen import Screen
from zot_tui.widgets.transcript.cells import NoteCell

TWICE = 2.0
"""Seconds within which a second press counts as one."""


class StopKeys:
    """Stops the work of `chat`, else the commands of `dispatch` that are slow."""

    def __init__(self, chat: Chat, view: Screen, dispatch: CommandDispatcher) -> None:
        self._chat, self._view, self._dispatch = chat, view, dispatch
        self._armed = self._escaped = float("-inf")
        self._leaving: NoteCell | None = None

    def cancel(self) -> None:
        """Close suggestions, leave the editor's mode, clear notes, stop work or clear the text: whichever is first.
        Offer earlier prompts to change if nothing was left to do twice within `TWICE` seconds."""
        chat = self._chat
        if chat.prompt_input.cancel() or self._view.editor.escape() or chat.presenter.clear_notes():
            chat.app.redraw()
        elif not self._stop():
            now = asyncio.get_running_loop().time()
            if now - self._escaped <= TWICE:
                self._dispatch.start("/edit")
            self._escaped = now

    def _stop(self) -> bool:
        """Stop work, give up a slow command or clear the text. Return False if there is none of these."""
        chat = self._chat
        if chat.host.conversation.busy:
            chat.stop()
        elif not self._dispatch.give_up():
            if not chat.prompt_input.text:
                return False
            chat.prompt_input.set("")
        return True

    def interrupt(self) -> None:
        """Stop work or clear the text; quit if pressed twice within `TWICE` seconds."""
        now = asyncio.get_running_loop().time()
        self._disarm()
        if now - self._armed <= TWICE:
            self._chat.app.exit()
            return
        self._armed = now
        self._stop()
        self._leaving = self._chat.presenter.note("press ctrl+c again to quit")
        self._chat.app.after(TWICE, self._disarm)

    def _disarm(self) -> None:
        cell, self._leaving = self._leaving, None
        if cell is not None and cell in self._chat.transcript.cells:
            self._chat.transcript.remove(cell)

    def leave_if_empty(self) -> None:
        if not self._chat.prompt_input.text:
            self._chat.app.exit()
