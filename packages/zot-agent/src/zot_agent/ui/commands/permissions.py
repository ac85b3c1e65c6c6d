"""/permissions /yolo: which tool calls run without a question."""

from collections.abc import Iterator

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_core.permission_mode import MODE_HELP, MODES
from zot_provider.errors import UnknownName
from zot_tui.widgets.dialogs.questions import Pages


def next_mode(chat: Chat) -> None:
    """Switch to the next mode; it counts from the next call on."""
    permissions = chat.host.conversation.permissions
    permissions.mode = MODES[(MODES.index(permissions.mode) + 1) % len(MODES)]
    chat.note(f"{permissions.mode}: {MODE_HELP[permissions.mode]}")


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


COMMANDS = (
    SlashCommand("permissions", "[mode]", "show rules and mode for tool calls, or change the mode", "now", permissions),
    SlashCommand("yolo", "", "turn asking before tool calls on or off", "now", yolo),
)
