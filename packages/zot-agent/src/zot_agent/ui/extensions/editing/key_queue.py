"""`EditorKeyQueue`: keys of the editor that extensions may handle, in the order in which they were pressed."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.extensions.editing.answer import KeyAnswer, read_answer
from zot_agent.ui.screen import Screen
from zot_core.aio import spawn
from zot_core.conversation.extensions import AskEditor
from zot_provider.errors import ConfigError
from zot_tui.keys.key import RUNE, Key, parse_key

MOST_TEXT = 64 * 1024
"""Characters of a text, typed or pasted, about which extensions are asked."""

PASTE = "paste"
"""The name of what is pasted, among the keys."""

TWICE = 2.0
"""Seconds within which a second Esc is not asked about."""

_NEVER = frozenset(("ctrl+c", "ctrl+d"))


class _KeyAsker:
    """One extension: which keys it wants, and how it is asked."""

    def __init__(self, extension: str, keys: frozenset[str], ask: AskEditor, most_misses: int) -> None:
        self.extension, self.keys, self.ask, self.most_misses = extension, keys, ask, most_misses
        self.misses = 0

    def wants(self, item: Key | str) -> bool:
        """Whether the extension is asked about a key, or about a text that is pasted."""
        if isinstance(item, str) and len(item) > MOST_TEXT:
            return False
        return not self.keys or (PASTE if isinstance(item, str) else str(item)) in self.keys


class ModeSwitch(Protocol):
    def mode(self, extension: str) -> str: ...

    def use_mode(self, extension: str, name: str) -> None: ...


class EditorKeyQueue:
    """Asks extensions about keys, the newest first, and gives back what none of them uses.

    What is pressed or pasted meanwhile waits, so that nothing is lost or changes its place. Ctrl+C, Ctrl+D and a second
    Esc do not wait: what was before them is then handled without extensions.
    """

    def __init__(self, chat: Chat, view: Screen, modes: ModeSwitch) -> None:
        self._chat, self._view, self._modes = chat, view, modes
        self._askers: dict[str, _KeyAsker] = {}  # the newest last
        self._waiting: deque[Key | str] = deque()
        self._task: asyncio.Task[None] | None = None
        self._passing = False
        self._escaped = float("-inf")

    def add(self, extension: str, keys: Sequence[str], ask: AskEditor, misses: int) -> None:
        try:
            names = frozenset(each if each == PASTE else str(parse_key(each)) for each in keys)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if kept := names & {*_NEVER, RUNE}:
            raise ConfigError(f"{min(kept)} keeps its meaning")
        self._askers.pop(extension, None)
        self._askers[extension] = _KeyAsker(extension, names, ask, misses)

    def remove(self, extension: str) -> None:
        """Do not ask an extension any more."""
        self._askers.pop(extension, None)

    def takes(self, key: Key) -> bool:
        """Let a key wait, unless nobody wants it. Return whether it does."""
        if self._passing:
            return False
        if str(key) in _NEVER or self._second_escape(key):
            self._flush()
            return False
        return self._waits(key)

    def takes_paste(self, text: str) -> bool:
        """Let a paste wait, unless nobody wants it. Return whether it does."""
        return not self._passing and self._waits(text)

    def _waits(self, item: Key | str) -> bool:
        if not self._waiting and not any(each.wants(item) for each in self._askers.values()):
            return False
        self._wait(item)
        return True

    def _second_escape(self, key: Key) -> bool:
        if key.name != "esc":
            return False
        now = asyncio.get_running_loop().time()
        second = now - self._escaped <= TWICE
        self._escaped = float("-inf") if second else now
        return second

    def _wait(self, item: Key | str) -> None:
        self._waiting.append(item)
        if self._task is None or self._task.done():
            self._task = spawn(self._work(), "keys of the editor")

    def _flush(self) -> None:
        """Handle everything that waits, without extensions."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        while self._waiting:
            self._pass(self._waiting.popleft())

    async def _work(self) -> None:
        app = self._chat.app
        while self._waiting:
            item = self._waiting[0]
            used = await self._asked(item)
            self._waiting.popleft()
            if not used:
                self._pass(item)
            if app.drawing:
                app.draw()

    def _pass(self, item: Key | str) -> None:
        """Handle a key or a paste without extensions."""
        before, self._passing = self._passing, True
        try:
            keys = self._view.stack.keys
            if isinstance(item, Key):
                keys.press(item)
            else:
                keys.paste(item)
        finally:
            self._passing = before

    async def _asked(self, item: Key | str) -> bool:
        """Ask about a key, or a paste. Return whether an extension has used it."""
        key, typed, modifiers = (PASTE, item, ()) if isinstance(item, str) else (item.name, item.text, item.modifiers)
        for asker in [each for each in reversed(self._askers.values()) if each.wants(item)]:
            buffer = self._view.editor.buffer
            if len(buffer.text) > MOST_TEXT:
                return False
            text, cursor = buffer.text, buffer.cursor
            members: dict[str, Any] = {"key": key, "typed": typed, "mods": list(modifiers), "text": text}
            members |= {"cursor": cursor, "mode": self._modes.mode(asker.extension)}
            try:
                answer = read_answer(await asker.ask(members), self._chat.keys.actions)
            except (TimeoutError, ValueError) as error:
                self._missed(asker, str(error))
                continue
            asker.misses = 0
            if not answer.uses:
                continue
            if answer.ops and (buffer.text, buffer.cursor) != (text, cursor):
                return False  # it is about another text
            self._use(asker.extension, answer)
            return True
        return False

    def _use(self, extension: str, answer: KeyAnswer) -> None:
        before, self._passing = self._passing, True
        try:
            answer.edit(self._view.editor, self._chat.keys.actions, lambda name: self._modes.use_mode(extension, name))
        except ConfigError as error:
            self._chat.presenter.note(str(error), "warning", extension)
        finally:
            self._passing = before
        for key in answer.keys:
            self._pass(key)
        self._chat.app.redraw()

    def _missed(self, asker: _KeyAsker, why: str) -> None:
        asker.misses += 1
        if asker.misses >= asker.most_misses and self._askers.get(asker.extension) is asker:
            del self._askers[asker.extension]
            self._chat.presenter.note(f"is no longer asked about keys: {why}", "warning", asker.extension)
