"""/theme /vi /permissions /yolo /sandbox /jail /unjail /reload-ext /exit: the screen itself."""

from collections.abc import Iterator

from zot_agent.config.settings import Settings
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.questions.project import ask_about_project
from zot_agent.ui.themes import AUTO
from zot_core.permission_mode import MODE_HELP, MODES
from zot_provider.errors import UnknownName
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import Pages


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
    from zot_agent.ui.questions.extension_permissions import ask_about_extensions  # noqa: PLC0415  rarely needed

    await ask_about_extensions(chat)


async def permissions(chat: Chat, mode: str) -> None:
    """Show the mode and the rules, or change the mode."""
    current = chat.host.conversation.permissions
    if not mode:
        await chat.ask(Pages("Permissions", "\n".join(_lines(chat))))
        return
    found = next((each for each in MODES if each == mode), None)
    if found is None:
        raise UnknownName.among("mode", mode, MODES)
    current.mode = found
    chat.note(f"{found}: {MODE_HELP[found]}")


def _lines(chat: Chat) -> Iterator[str]:
    permissions = chat.host.conversation.permissions
    for mode in MODES:
        yield f"{'›' if mode == permissions.mode else ' '} {mode}: {MODE_HELP[mode]}"
    yield ""
    yield "/permissions MODE and Shift+Tab change the mode."
    for action in ("deny", "ask", "allow"):
        for rule in permissions.rules:
            if rule.action == action:
                yield f"{action} {rule.text}  ({rule.source})" if rule.source else f"{action} {rule.text}"
    tools = chat.host.runtime.agent.tools
    yield from permissions.judge.unknown_tools(tools) if permissions.rules else ()


async def yolo(chat: Chat, _: str) -> None:
    """Turn asking before tool calls on or off."""
    await permissions(chat, "ask" if chat.host.conversation.permissions.mode == "yolo" else "yolo")


async def sandbox(chat: Chat, mode: str) -> None:
    """Show whether commands are confined, or change it."""
    switch = chat.host.sandbox
    if mode and switch is not None:
        switch.choose(mode)
    note = switch.sandbox.note() if switch is not None and switch.sandbox is not None else ""
    chat.note(note or f"sandbox {chat.host.conversation.sandbox}", "warning" if note else "info")


async def jail(chat: Chat, _: str) -> None:
    """Confine commands."""
    await sandbox(chat, "on")


async def unjail(chat: Chat, _: str) -> None:
    """Do not confine commands."""
    await sandbox(chat, "off")


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
    SlashCommand("permissions", "[mode]", "show rules and mode for tool calls, or change the mode", "now", permissions),
    SlashCommand("yolo", "", "turn asking before tool calls on or off", "now", yolo),
    SlashCommand("sandbox", "[on|strict|off]", "show whether commands are confined, or change it", "now", sandbox),
    SlashCommand("jail", "", "confine commands: /sandbox on", "now", jail),
    SlashCommand("unjail", "", "do not confine commands: /sandbox off", "now", unjail),
    SlashCommand("reload-ext", "", "reload and restart the extensions", "cancel", reload_extensions),
    SlashCommand("exit", "", "quit zot", "now", leave),
)
