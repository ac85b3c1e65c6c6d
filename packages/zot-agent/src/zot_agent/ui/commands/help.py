"""/help: the commands and keys, in sections, to search by typing."""

from collections.abc import Iterable, Iterator, Sequence

from zot_agent.ui.bindings import CHAT_ACTIONS, keys_of
from zot_agent.ui.commands import command_sections
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_core.conversation.commands import Command, CommandKind
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.screen import AppScreen
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.input.editor import EDITOR_ACTIONS

_SHARED_KEYS = frozenset({"cursor_up", "cursor_down"})
"""Editor actions without keys of their own in the chat: `up` and `down` do them too."""

ROOM = 20
"""Rows for the names of sections: the page is as high as the screen."""

_TYPED = {
    "@path": "a file or directory",
    "!command": "run it in the shell; the model reads its output",
    "!!command": "the same, without showing it to the model",
    "shift+mouse": "select text while mouse scrolling is on",
}
_KINDS: dict[CommandKind, str] = {"template": "prompt templates", "skill": "skills", "extension": "extensions"}


class HelpPicker(Picker[str]):
    """Lists what there is. It answers with what to type for it; a search finds words of names and descriptions."""

    wraps = True

    def _candidates(self, wanted: str) -> Sequence[int]:
        words = wanted.lower().split()
        return [at for at in range(len(self.items)) if all(word in self._searched(at).lower() for word in words)]

    def _searched(self, index: int) -> str:
        item = self.items[index]
        return f"{item.label} {item.description} {item.group}"


def help_items(others: Iterable[Command], keys: Keymap, screen: AppScreen) -> Iterator[PickerItem[str]]:
    """Yield the commands by section, then `others`, what can be typed, and the keys in `keys`, the user's own among
    them if `screen` can report them."""
    for section, commands in command_sections().items():
        for command in commands:
            label = f"/{command.name} {command.arguments}".rstrip()
            yield PickerItem(f"/{command.name} ", label, command.help, group=section)
    for kind, group in _KINDS.items():
        for each in others:
            if each.kind == kind:
                yield PickerItem(
                    f"/{each.name} ", f"/{each.name} {each.arguments}".rstrip(), each.description, each.source, group
                )
    for typed, what in _TYPED.items():
        yield PickerItem("", typed, what, group="typing")
    for name in dict.fromkeys(each.action for each in keys.bindings if each.action.startswith("/")):
        yield PickerItem(f"{name} ", _labels(name, keys, screen) or "no key", name, group="your keys")
    for group, actions in (("keys", CHAT_ACTIONS), ("in the editor", EDITOR_ACTIONS)):
        for action in actions:
            label = _labels(action.name, keys, screen)
            if label or action.name not in _SHARED_KEYS:
                yield PickerItem("", label or "no key", action.help, group=group)


def _labels(action: str, keys: Keymap, screen: AppScreen) -> str:
    return ", ".join(key.label for key in keys_of(action, keys, screen))


async def help(chat: Chat, _: str) -> None:
    await chat.host.conversation.list_templates()
    items = [*help_items(chat.host.conversation.commands, chat.keys.keymap, chat.app.screen)]
    if typed := await chat.ask(HelpPicker("Help", items, max_rows=len(items) + ROOM)):
        chat.insert(typed)


COMMANDS = (SlashCommand("help", "", "show commands and keys, and search them", "now", help, ("f1",)),)
