"""`ExtensionEditing`: the modes, the keys and the decorations of extensions in the editor."""

from collections.abc import Sequence
from typing import Any

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.extensions.editing.decorations import EditorDecorations
from zot_agent.ui.extensions.editing.key_queue import EditorKeyQueue
from zot_agent.ui.screen import Screen
from zot_core.conversation.extensions import AskEditor
from zot_provider.errors import ConfigError, UnknownName
from zot_tui.editor.keyed.mode import KeyedMode
from zot_tui.editor.keyed.read import KeyedModes, read_modes
from zot_tui.editor.mode import EditorMode
from zot_tui.keys.key import Key


class ExtensionEditing:
    """See `EditorControl`. The modes of the newest extension are in force; when they end, those before them are.

    What the person chooses with /vi takes their place.
    """

    def __init__(self, chat: Chat, view: Screen) -> None:
        self._chat, self._editor = chat, view.editor
        self._modes: dict[str, KeyedModes] = {}  # by extension, the newest last
        self._owner = ""
        self._before = EditorMode()
        self._used: KeyedMode | None = None  # the last mode of an extension that was in force
        self._keys = EditorKeyQueue(chat, view, self)
        self._drawn = EditorDecorations(chat, view)

    def set_modes(self, extension: str, modes: dict[str, Any] | None) -> None:
        before = self._modes.pop(extension, None)
        if modes is not None:
            try:
                self._modes[extension] = read_modes(modes, self._chat.keys.actions)
            except ValueError as error:
                if before is not None:
                    self._modes[extension] = before
                raise ConfigError(str(error)) from None
        elif before is None or self._mode is None:
            return
        self._use_newest()

    def _use_newest(self) -> None:
        self._owner, modes = next(reversed(self._modes.items()), ("", None))
        current = self._mode
        if current is None:
            self._before = self._editor.mode
        elif current.modes is modes:
            return
        if modes is None:
            self._editor.mode = self._before
        else:
            self._used = KeyedMode(self._editor.buffer, modes, self._act, self._editor.spans)
            self._editor.mode = self._used

    @property
    def _mode(self) -> KeyedMode | None:
        """The mode of an extension that is in force."""
        return self._used if self._editor.mode is self._used else None

    def _act(self, name: str) -> None:
        self._chat.keys.actions[name]()

    def mode(self, extension: str) -> str:
        return self._mode.current if self._mode is not None and self._owner == extension else ""

    def use_mode(self, extension: str, name: str) -> None:
        mode = self._mode
        if mode is None or self._owner != extension:
            raise ConfigError("no mode of this extension is in force")
        if name not in mode.modes.modes:
            raise UnknownName(f"there is no mode {name[:50]!r}")
        mode.current = name
        self._editor.changed()
        self._editor.mode_changed.emit()

    def ask_about_keys(self, extension: str, keys: Sequence[str], ask: AskEditor, misses: int) -> None:
        self._keys.add(extension, keys, ask, misses)

    def ask_about_text(self, extension: str, ask: AskEditor) -> None:
        self._drawn.add(extension, ask)

    def stop_asking(self, extension: str, *, keys: bool = True, text: bool = True) -> None:
        if keys:
            self._keys.remove(extension)
        if text:
            self._drawn.remove(extension)

    def takes(self, key: Key) -> bool:
        """Whether a key waits for extensions, which handle it or give it back."""
        return self._keys.takes(key)

    def takes_paste(self, text: str) -> bool:
        """Whether a paste waits for the keys before it."""
        return self._keys.takes_paste(text)
