"""`ChatKeys`: what keys and pastes do while no dialog has them."""

from collections.abc import Callable, Mapping
from typing import Protocol

from zot_agent.ui.input.prompt_input import PromptInput
from zot_tui.keys.key import Key
from zot_tui.keys.keymap import Keymap
from zot_tui.widgets.input.editor import EDITOR

CHAT = "chat"
"""The context of keys while no dialog and no panel is open."""


class PanelKeys(Protocol):
    """The panels of extensions, and extensions that are asked about keys."""

    def press(self, key: Key) -> bool:
        """Take a key. Return False if none wants it."""

    def paste(self, text: str) -> bool:
        """Take a paste. Return False if none wants it."""


class ChatKeys:
    """A `KeyTarget`: `panels` get all keys; then keys of the chat come before keys of the editor.

    `keymap` may be replaced; its actions are slash commands, which `run` gets, and names in `actions`, the functions
    behind keys.
    """

    def __init__(
        self,
        keymap: Keymap,
        actions: Mapping[str, Callable[[], object]],
        run: Callable[[str], object],
        prompt_input: PromptInput,
        panels: PanelKeys,
    ) -> None:
        self.keymap, self.actions = keymap, actions
        self._run, self._prompt_input, self._panels = run, prompt_input, panels

    def press(self, key: Key) -> bool:
        if self._panels.press(key):
            return True
        binding = self.keymap.find(key, (CHAT, EDITOR))
        claimed = self._prompt_input.editor.mode.claims(key) and not self.keymap.overrides(key)
        if binding is None or CHAT not in binding.contexts or claimed:
            return self._prompt_input.handle(key, None if claimed else binding)
        if binding.action.startswith("/"):
            self._run(binding.action)
        else:
            self.actions[binding.action]()  # `bindings.keymap` lets no unknown name through
        return True

    def paste(self, text: str) -> None:
        if not self._panels.paste(text):
            self._prompt_input.editor.paste(text)
