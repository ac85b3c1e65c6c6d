"""/undo /redo: go back with the files, and ask about files that the person changed."""

from collections.abc import Awaitable, Callable

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_core.checkpoints.restore import shown_path
from zot_core.errors import FilesEdited
from zot_core.runtime.branches import Moved, Restore
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice

_LISTED = 20
"""Most paths that a question or a note names."""


async def undo(chat: Chat, _: str) -> None:
    """Go back to before the last prompt, with the files, and put the prompt into the editor."""
    moved = await _move(chat, lambda force: chat.host.conversation.branches.undo(force=force))
    if moved is not None:
        _insert(chat, moved)
        chat.note(f"undone; {_files(chat, moved)}; /redo takes it back")


async def redo(chat: Chat, _: str) -> None:
    """Take back the last undo."""
    moved = await _move(chat, lambda force: chat.host.conversation.branches.redo(force=force))
    if moved is not None:
        chat.note(f"redone; {_files(chat, moved)}")


async def go_back(chat: Chat, entry: str, *, before: bool) -> None:
    """Continue at an entry. If files were changed since, ask what goes back."""
    branches = chat.host.conversation.branches
    paths = await branches.files_to_restore(entry, before=before)
    restore: Restore | None = "conversation"
    if paths:
        choices: list[ConfirmChoice[Restore | None]] = [
            ConfirmChoice("b", "both: conversation and files", "both"),
            ConfirmChoice("c", "the conversation; the files stay as they are", "conversation"),
            ConfirmChoice("f", "the files; the conversation stays as it is", "files"),
        ]
        restore = await chat.ask(Confirm[Restore | None]("What goes back?", choices, _listed(chat, paths)))
    if restore is None:
        return
    chosen = restore
    moved = await _move(chat, lambda force: branches.go_to(entry, before=before, restore=chosen, force=force))
    if moved is None:
        return
    if before and chosen != "files":
        _insert(chat, moved)
    if chosen != "conversation":
        chat.note(_files(chat, moved))


async def _move(chat: Chat, move: Callable[[bool], Awaitable[Moved]]) -> Moved | None:
    """Go back or forward, and ask whether files that the person changed are overwritten; None if not."""
    try:
        moved = await move(False)
    except FilesEdited as error:
        title = f"{_count(len(error.paths))} changed since, not by zot. Overwrite?"
        choices = [ConfirmChoice("n", "no, change nothing", False), ConfirmChoice("y", "yes, overwrite", True)]
        if not await chat.ask(Confirm(title, choices, _listed(chat, error.paths))):
            return None
        moved = await move(True)
    if moved.problems:
        chat.note("not restored: " + "; ".join(map(sanitize_line, moved.problems[:_LISTED])), "warning")
    return moved


def _insert(chat: Chat, moved: Moved) -> None:
    if moved.message is not None and not chat.prompt_input.text:
        chat.insert(moved.message.display_text or moved.message.text)


def _files(chat: Chat, moved: Moved) -> str:
    if not moved.restored:
        return "no file was restored"
    return f"restored {_listed(chat, moved.restored).replace(chr(10), ', ')}"


def _listed(chat: Chat, paths: list[str]) -> str:
    lines = [sanitize_line(shown_path(path, chat.host.runtime.cwd)) for path in paths[:_LISTED]]
    return "\n".join([*lines, f"and {len(paths) - _LISTED} more"] if len(paths) > _LISTED else lines)


def _count(files: int) -> str:
    return f"{files} files" if files > 1 else "1 file"


COMMANDS = (
    SlashCommand("undo", "", "go back to before the last prompt, with the files", "cancel", undo),
    SlashCommand("redo", "", "take back the last undo", "wait", redo),
)
