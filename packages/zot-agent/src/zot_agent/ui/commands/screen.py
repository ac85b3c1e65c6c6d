"""/theme /vi /yolo /reload-ext /exit: the screen itself."""

from zot_agent.config.settings import Settings
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.questions.project import ask_about_project
from zot_agent.ui.themes import AUTO
from zot_provider.errors import UnknownName
from zot_tui.widgets.dialogs.picker import Picker, PickerItem


async def theme(chat: Chat, name: str) -> None:
    """Change the colours."""
    choices = chat.themes.choices()
    current = chat.themes.name or AUTO
    items = [PickerItem(each.name, each.name, each.source, current=each.name == current) for each in choices]
    chosen = name or await chat.ask(Picker("Theme", items))
    if chosen and all(each.name != chosen for each in choices):
        raise UnknownName.among("theme", chosen, [each.name for each in choices])
    if chosen:
        chat.themes.use(chosen)
        brought = any(each.name == chosen and each.source == "project" for each in choices)
        if chat.themes.name == chosen and not brought:  # other projects have no such theme
            chat.choices.keep({Settings.theme.key: chosen})


async def reload_extensions(chat: Chat, _: str) -> None:
    """Stop the extensions, read their manifests again and start them."""
    chat.note("reloading extensions...")
    stats = await chat.host.reload_extensions()
    chat.note(str(stats), "success")
    for error in stats.errors:
        chat.note(error, "error")
    await ask_about_project(chat)


async def yolo(chat: Chat, _: str) -> None:
    """Turn asking before each tool call on or off."""
    permission = chat.permission
    permission.asks = not permission.asks
    chat.note("zot asks before each tool call" if permission.asks else "tools run without asking", "warning")


async def vi(chat: Chat, _: str) -> None:
    """Turn vi keys on or off."""
    on = chat.prompt_input.toggle_vi()
    chat.note("vi keys are on: Esc for normal mode, i to insert" if on else "vi keys are off")


async def leave(chat: Chat, _: str) -> None:
    """Quit zot."""
    chat.app.exit()


COMMANDS = (
    SlashCommand("theme", "[name]", "change the colours", "now", theme),
    SlashCommand("vi", "", "turn vi keys on or off", "now", vi),
    SlashCommand("yolo", "", "turn asking before each tool call on or off", "now", yolo),
    SlashCommand("reload-ext", "", "reload and restart the extensions", "cancel", reload_extensions),
    SlashCommand("exit", "", "quit zot", "now", leave),
)
