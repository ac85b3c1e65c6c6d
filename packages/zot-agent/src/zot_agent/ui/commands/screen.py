"""/help /theme /yolo /reload-ext /exit: the screen itself."""

from collections.abc import Iterable

from zot_agent.ui.bindings import ACTIONS, keys_of
from zot_agent.ui.commands import COMMANDS
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.themes import AUTO
from zot_provider.errors import UnknownName
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.screen import AppScreen
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import clip, pad
from zot_tui.widgets.actions import EDITOR_ACTIONS
from zot_tui.widgets.dialogs.picker import Item, Picker
from zot_tui.widgets.dialogs.questions import Pages
from zot_tui.widgets.transcript.transcript import TRANSCRIPT_ACTIONS

_BY_OTHERS = frozenset({"cursor_up", "cursor_down"})
"""What the keys of `up` and `down` do as well."""


async def theme(chat: Chat, name: str) -> None:
    """Other colours."""
    choices = chat.themes.choices()
    current = chat.themes.name or AUTO
    items = [Item(each.name, each.name, each.source, current=each.name == current) for each in choices]
    chosen = name or await chat.ask(Picker("Theme", items))
    if chosen and all(each.name != chosen for each in choices):
        raise UnknownName.among("theme", chosen, [each.name for each in choices])
    if chosen:
        chat.themes.use(chosen)


async def reload_extensions(chat: Chat, _: str) -> None:
    """Stop the extensions, read them anew, start them."""
    chat.note("reloading extensions...")
    stats = await chat.host.reload_extensions()
    chat.note(str(stats), "success")
    for error in stats.errors:
        chat.note(error, "error")


async def yolo(chat: Chat, _: str) -> None:
    """Ask before each call, or no longer."""
    permission = chat.permission
    permission.asks = not permission.asks
    chat.note("zot asks before each call" if permission.asks else "zot asks before nothing", "warning")


async def vi(chat: Chat, _: str) -> None:
    """Edit as in vi, or no longer."""
    chat.note("vi: Esc for normal mode, i to type again" if chat.typed.toggle_vi() else "keys type what they say again")


async def leave(chat: Chat, _: str) -> None:
    """Leave zot."""
    chat.leave()


def help_rows(
    commands: Iterable[SlashCommand],
    extensions: Iterable[tuple[str, str, str]],
    columns: int,
    keys: Keymap,
    screen: AppScreen,
) -> list[Row[str]]:
    """Commands as they are registered, and keys as `keys` has them, a person's own among them as far as `screen` can
    tell them."""
    rows: list[Row[str]] = []

    def line(left: str, right: str) -> None:
        key: Row[str] = [("text", "  "), ("key", pad(clip(sanitize_line(left), 31), 32))]
        rows.append(clip_runs([*key, ("muted", sanitize_line(right))], columns))

    rows.append([("title", "  Commands")])
    for command in commands:
        line(f"/{command.name} {command.arguments}".rstrip(), command.help)
    more = list(extensions)
    if more:
        rows += [[], [("title", "  Commands of extensions")]]
        for name, description, owner in more:
            line(f"/{name}", f"{description} [{owner}]" if description else f"[{owner}]")
    rows += [[], [("title", "  Typing")]]
    line("@path", "a file or a directory")
    line("!command", "run it here; the model reads what it printed")
    line("!!command", "run it here; the model does not")
    own = [each.action for each in keys.bindings if each.action.startswith("/")]
    rows += [[], [("title", "  Your keys")]] if own else []
    for command_name in dict.fromkeys(own):
        line(", ".join(key.label for key in keys_of(command_name, keys, screen)) or "no key", command_name)
    for title, actions in (("Keys", (*ACTIONS, *TRANSCRIPT_ACTIONS)), ("In the editor", EDITOR_ACTIONS)):
        rows += [[], [("title", f"  {title}")]]
        for action in actions:
            found = keys_of(action.name, keys, screen)
            if found or action.name not in _BY_OTHERS:
                line(", ".join(key.label for key in found) or "no key", action.help)
    rows += [[], [("muted", "  With the mouse switched on, the terminal's own selection needs Shift.")]]
    return rows


async def help(chat: Chat, _: str) -> None:
    """Keys and commands."""
    running = chat.host.extensions
    extensions = [(each.name, each.description, each.source) for each in running.commands] if running else []
    keys = chat.app.keymap
    await chat.ask(Pages("Help", lambda columns: help_rows(COMMANDS, extensions, columns, keys, chat.app.screen)))
