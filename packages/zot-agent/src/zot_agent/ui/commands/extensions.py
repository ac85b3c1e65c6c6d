"""/ext: the extensions and what they may do; /hooks: the programs that the settings name for events."""

from collections.abc import Iterator

from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.questions import Pages


async def show_extensions(chat: Chat, _: str) -> None:
    """Show the extensions, whether they run, and what they may do."""
    lines = [line for found in chat.host.choice.found.found for line in _about(chat, found)] if chat.host.choice else []
    await chat.ask(Pages("Extensions", "\n".join(lines) or "none; create one with zot ext new NAME"))


def _about(chat: Chat, found: DiscoveredExtension) -> Iterator[str]:
    from zot_agent.extensions.permissions.lines import NOTHING, permission_lines  # noqa: PLC0415  rarely needed

    running = chat.host.extensions.members if chat.host.extensions is not None else []
    member = next((each for each in running if each.found.directory == found.directory), None)
    state = (
        "runs" if member is not None and member.running
        else member.failure if member is not None and member.failure
        else "starts" if member is not None and not member.started.done()
        else "is hidden by another of this name" if found.hidden_by
        else "is disabled" if not found.enabled
        else "waits until you allow it" if found.untrusted
        else "does not run" if found.manifest.exec
        else "has no program"
    )  # fmt: skip
    yield sanitize_line(f"{found.name} {found.manifest.version}".strip() + f": {state}")
    if found.manifest.exec:
        yield from (f"    may {sanitize_line(line)}" for line in permission_lines(found.manifest) or [NOTHING])


async def show_hooks(chat: Chat, _: str) -> None:
    """Show the hook programs, when they run and which file names them."""
    hooks = chat.host.hooks
    lines = [] if hooks is None else [line for each in hooks.programs for line in each.lines()]
    text = "\n".join(sanitize_line(line) for line in lines)
    await chat.ask(Pages("Hooks", text or "none; docs/hooks.md says how to name programs in the settings"))


COMMANDS = (
    SlashCommand("ext", "", "show the extensions and what they may do", "now", show_extensions),
    SlashCommand("hooks", "", "show the programs that the settings name for events", "now", show_hooks),
)
