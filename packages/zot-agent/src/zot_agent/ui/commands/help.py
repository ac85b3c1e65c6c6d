"""/help: the page of commands and keys."""

from collections.abc import Iterable

from zot_agent.ui.bindings import CHAT_ACTIONS, keys_of
from zot_agent.ui.commands import slash_commands
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_core.conversation.commands import Command
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.screen import AppScreen
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import clip, pad
from zot_tui.widgets.dialogs.questions import Pages
from zot_tui.widgets.input.editor import EDITOR_ACTIONS

_SHARED_KEYS = frozenset({"cursor_up", "cursor_down"})
"""Editor actions without keys of their own in the chat: `up` and `down` do them too."""


def help_rows(
    commands: Iterable[SlashCommand],
    others: Iterable[Command],
    columns: int,
    keys: Keymap,
    screen: AppScreen,
) -> list[Row[str]]:
    """Return the rows of the help page: commands in registry order, the ones in `others` that are no skills, and the
    keys in `keys`.

    The user's own keys are included if `screen` can report them.
    """
    rows: list[Row[str]] = []

    def line(left: str, right: str) -> None:
        key: Row[str] = [("text", "  "), ("key", pad(clip(sanitize_line(left), 31), 32))]
        rows.append(clip_runs([*key, ("muted", sanitize_line(right))], columns))

    rows.append([("title", "  Commands")])
    for command in commands:
        line(f"/{command.name} {command.arguments}".rstrip(), command.help)
    others = list(others)
    if templates := [each for each in others if each.kind == "template"]:
        rows += [[], [("title", "  Prompt templates")]]
        for each in templates:
            line(f"/{each.name} {each.arguments}".rstrip(), each.description)
    if extensions := [each for each in others if each.kind == "extension"]:
        rows += [[], [("title", "  Extension commands")]]
        for each in extensions:
            line(f"/{each.name}", f"{each.description} [{each.source}]".lstrip())
    rows += [[], [("title", "  Typing")]]
    line("@path", "a file or directory")
    line("!command", "run it in the shell; the model reads its output")
    line("!!command", "the same, without showing it to the model")
    own = [each.action for each in keys.bindings if each.action.startswith("/")]
    rows += [[], [("title", "  Your keys")]] if own else []
    for command_name in dict.fromkeys(own):
        line(", ".join(key.label for key in keys_of(command_name, keys, screen)) or "no key", command_name)
    for title, actions in (("Keys", CHAT_ACTIONS), ("In the editor", EDITOR_ACTIONS)):
        rows += [[], [("title", f"  {title}")]]
        for action in actions:
            found = keys_of(action.name, keys, screen)
            if found or action.name not in _SHARED_KEYS:
                line(", ".join(key.label for key in found) or "no key", action.help)
    rows += [[], [("muted", "  While mouse scrolling is on, hold Shift to select text.")]]
    return rows


async def help(chat: Chat, _: str) -> None:
    await chat.host.conversation.list_templates()
    others, commands = chat.host.conversation.commands, slash_commands().values()
    keys, screen = chat.keymap, chat.app.screen
    await chat.ask(Pages("Help", lambda columns: help_rows(commands, others, columns, keys, screen)))


COMMANDS = (SlashCommand("help", "", "show keys and commands", "now", help),)
