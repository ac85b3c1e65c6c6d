"""`Card`: what an empty conversation shows: where it is, who answers, what may run, and how to begin."""

import asyncio
import os
import time
from typing import Any

from zot_agent.config.paths import sessions_root
from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.format.ages import age
from zot_agent.ui.format.status import SANDBOXES, shown_folder
from zot_agent.version import __version__
from zot_core.conversation.events import (
    Changed,
    ConversationEvent,
    MessageAdded,
    SessionStart,
    SessionTreeMove,
    ShellStart,
)
from zot_core.events import UserMessage
from zot_core.machine.branch import branch
from zot_core.permission_mode import MODE_HELP
from zot_core.prompt.context_files import has_instructions
from zot_provider.errors import ZotError
from zot_provider.wire.reasoning import nearest_level
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.text.width import clip
from zot_tui.widgets.input.editor import EDITOR
from zot_tui.widgets.transcript.cells import RowsCell

BAR = "▌ "
TITLE_CELLS = 50


class Card:
    """The first cell of a conversation in which nothing was said."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self._cell = chat, RowsCell()
        self._last = ""
        kinds = (UserMessage, MessageAdded, ShellStart, SessionStart, SessionTreeMove, Changed)
        chat.host.conversation.events.add(self._event, *kinds)
        self._begin()

    def _event(self, event: ConversationEvent) -> None:
        match event:
            case UserMessage() | MessageAdded() | ShellStart():
                self.hide()
            case SessionStart() | SessionTreeMove():
                self._begin()
            case Changed():
                self.refresh()

    def _begin(self) -> None:
        transcript = self._chat.transcript
        if not self._chat.host.runtime.messages and self._cell not in transcript.cells:
            self._cell.rows = self._rows()
            transcript.append(self._cell)

    def hide(self) -> None:
        """Take the card away."""
        if self._cell in self._chat.transcript.cells:
            self._chat.transcript.remove(self._cell)

    def refresh(self) -> None:
        """Say what is true now."""
        if self._cell in self._chat.transcript.cells:
            self._cell.rows = self._rows()

    async def look_up(self) -> None:
        """Find the last session of this directory, which is named below the card."""
        from zot_core.sessions.listing import list_sessions  # noqa: PLC0415  not for the first screen
        from zot_core.sessions.store import SessionStore  # noqa: PLC0415  as above

        try:
            found = await asyncio.to_thread(
                list_sessions, SessionStore(sessions_root()), self._chat.host.runtime.cwd, 1
            )
        except ZotError:
            return  # `/sessions` says why
        if found and found[0].name:
            title = clip(sanitize_line(found[0].name), TITLE_CELLS)
            self._last = f"“{title}”, {age(time.time() - found[0].changed)}"
            self.refresh()

    def _rows(self) -> list[Row[Any]]:
        runtime, conversation = self._chat.host.runtime, self._chat.host.conversation
        model = runtime.agent.model
        level = nearest_level(model, runtime.agent.reasoning)
        answers = (model.id or "the server's model", model.provider, "" if level == "off" else level)
        mode, sandbox = conversation.permissions.mode, SANDBOXES[conversation.sandbox]
        place = (shown_folder(runtime.cwd, os.path.expanduser("~")), branch(runtime.cwd))
        danger = "warning" if mode == "yolo" else "muted"
        card: list[Row[Any]] = [
            [("title", "zot"), ("muted", f" {__version__}")],
            [("text", _joined(*place))],
            [("text", _joined(*answers))],
            [(danger, f"{mode}, {sandbox}"), ("muted", f": {MODE_HELP[mode]}")],
        ]
        keys: Row[Any] = []
        help, mode_key = self._key("help_if_empty"), self._key("permission_mode")
        for key, what in ((help, "help"), (mode_key, "mode"), ("/", "commands"), ("@", "files")):
            keys += [("muted", " · " if keys else ""), ("key", key), ("muted", f" {what}")] if key else []
        below: list[Row[Any]] = [keys]
        if not has_instructions(runtime.cwd):
            below.append([("key", "/init"), ("muted", " has the model write an AGENTS.md for this project")])
        if self._last:
            below.append([("key", "zot -c"), ("muted", f" continues {self._last}")])
        indent: Row[Any] = [(None, " " * len(BAR))]
        return [*([("accent", BAR), *row] for row in card), [], *([*indent, *row] for row in below)]

    def _key(self, action: str) -> str:
        return next((key.label for key in self._chat.keys.keymap.keys(action, (CHAT, EDITOR))), "")


def _joined(*parts: str) -> str:
    return detached(" · ".join(sanitize_line(part) for part in parts if part))
