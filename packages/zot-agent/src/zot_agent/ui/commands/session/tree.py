"""/tree /edit /fork /clone /undo /redo /diff: the entries of the session, and the files that go back with them."""

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.session.tree_picker import TreePicker
from zot_agent.ui.settings.sides import SIDES, other_way
from zot_core.display import DiffDisplay
from zot_core.errors import FilesEdited, JobsRunning
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.dialog import Hint
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, Pages
from zot_tui.widgets.transcript.blocks import render_block
from zot_tui.widgets.transcript.chunks import BLANK, BODY, Chunk, indented, wrapped

if TYPE_CHECKING:
    from zot_core.checkpoints.compare import FileDiff
    from zot_core.runtime.restoring import Moved, Restore

_LISTED = 20
"""Most paths that a question or a note names."""


async def tree(chat: Chat, _: str) -> None:
    """Choose an entry at which to continue. A prompt is put into the editor, to change it."""
    picker = TreePicker(chat)
    await picker.load()
    chosen = await chat.ask(picker)
    if chosen is not None:
        await go_back(chat, chosen, before=picker.is_prompt(chosen), summarise=picker.summarise)


async def edit_prompt(chat: Chat, _: str) -> None:
    """Choose an earlier prompt of the conversation, and change it."""
    prompts = [message for message in chat.host.runtime.messages if message.is_prompt and message.id]
    items = [PickerItem(message.id, message.shown_text.strip() or "(image)") for message in reversed(prompts)]
    chosen = await chat.ask(Picker("Change a prompt", items, empty="no prompts yet"))
    if chosen is not None:
        await go_back(chat, chosen, before=True)


async def fork(chat: Chat, _: str) -> None:
    """Continue before an earlier prompt, in a new session."""
    prompts = [message for message in chat.host.runtime.messages if message.is_prompt and message.id]
    items = [PickerItem(message, message.shown_text.strip()) for message in reversed(prompts)]
    chosen = await chat.ask(Picker("Fork before", items, empty="no prompts yet"))
    if chosen is not None:
        where = _old_session(chat)
        conversation = chat.host.conversation
        await conversation.changes.make(partial(conversation.branches.fork, chosen.id, before=True))
        chat.note(f"a new session with the conversation up to there{where}")
        chat.insert(chosen.shown_text)


async def clone(chat: Chat, _: str) -> None:
    """Continue in a copy of the session."""
    where = _old_session(chat)
    conversation = chat.host.conversation
    await conversation.changes.make(conversation.branches.fork)
    chat.note(f"a new session with the same conversation{where}")


def _old_session(chat: Chat) -> str:
    session = chat.host.runtime.session
    return "; the old one is in /sessions" if session is not None and os.path.exists(session.path) else ""


async def undo(chat: Chat, _: str) -> None:
    """Go back to before the last prompt, with the files, and put the prompt into the editor."""
    moved = await _move(chat, chat.host.conversation.branches.undo)
    if moved is not None:
        _insert(chat, moved)
        chat.note(f"undone; {_files(chat, moved)}; /redo takes it back")


async def redo(chat: Chat, _: str) -> None:
    """Take back the last undo."""
    moved = await _move(chat, chat.host.conversation.branches.redo)
    if moved is not None:
        chat.note(f"redone; {_files(chat, moved)}")


async def diff(chat: Chat, _: str) -> None:
    """Show what the session changed."""
    files = await chat.host.conversation.branches.diff()
    if not files:
        chat.note("this session has changed no file")
        return
    lines = f"+{sum(each.added for each in files)} −{sum(each.removed for each in files)}"
    pages = Pages("Changes of this session", partial(_changes, files, chat), note=f"{_count(len(files))}  {lines}")
    keys = chat.keys.keymap.keys(SIDES, (CHAT,))
    pages.hints = [*pages.hints, *(Hint(str(key), partial(other_way, chat.presenter.style)) for key in keys[:1])]
    await chat.ask(pages)


def _changes(files: "list[FileDiff]", chat: Chat) -> list[Chunk]:
    chunks: list[Chunk] = []
    for each in files:
        drawn = render_block(
            DiffDisplay(each.path, each.diff, each.starts), each.path, sides=chat.presenter.style.sides
        )
        head: Row[Any] = [("title", sanitize_line(_shown_path(each.path, chat.host.runtime.cwd)))]
        if each.status != "changed":
            head.append(("muted", f" {each.status}"))
        if each.diff:
            head += [("muted", "  "), *drawn.note]
        chunks += [BLANK] if chunks else []
        chunks.append(indented(wrapped([head])))
        chunks += [indented(chunk, BODY) for chunk in drawn.chunks]
        chunks += [indented(wrapped([[("muted", sanitize_line(each.note))]]), BODY)] if each.note else []
    return chunks


async def go_back(chat: Chat, entry: str, *, before: bool, summarise: bool = False) -> None:
    """Continue at an entry. If files were changed since, ask what goes back. See `ConversationBranches.go_to`."""
    branches = chat.host.conversation.branches
    paths = await branches.files_to_restore(entry, before=before)
    restore: Restore | None = "conversation"
    if paths:
        choices: list[ConfirmChoice[Restore | None]] = [
            ConfirmChoice("b", "both: conversation and files", "both"),
            ConfirmChoice("c", "the conversation; the files stay as they are", "conversation"),
        ]
        if not summarise:  # nothing is left behind where the conversation stays
            choices.append(ConfirmChoice("f", "the files; the conversation stays as it is", "files"))
        restore = await chat.ask(Confirm("What goes back?", choices, _listed(chat, paths)), behind=True)
    if restore is None:
        return
    chosen = restore
    moved = await _move(chat, partial(branches.go_back, entry, before=before, restore=chosen, summarise=summarise))
    if moved is None:
        return
    if before and chosen != "files":
        _insert(chat, moved)
    if chosen != "conversation":
        chat.note(_files(chat, moved))


async def _move(chat: Chat, move: "Callable[..., Awaitable[Moved]]") -> "Moved | None":
    """Go back or forward, and ask whether jobs are stopped and files that the person changed are overwritten; None if
    not."""
    moved, agreed = None, dict[str, bool]()
    while moved is None:
        try:
            moved = await chat.host.conversation.changes.make(partial(move, **agreed))
        except JobsRunning:
            if not await _may_stop(chat):
                return None
            agreed["stop_jobs"] = True
        except FilesEdited as error:
            title = f"{_count(len(error.paths))} changed since, not by zot. Overwrite?"
            choices = [ConfirmChoice("n", "no, change nothing", False), ConfirmChoice("y", "yes, overwrite", True)]
            # It took a while to find out, in which the person may have begun to type.
            if not await chat.ask(Confirm(title, choices, _listed(chat, error.paths)), behind=True):
                return None
            agreed["force"] = True
    if moved.problems:
        more = [f"and {len(moved.problems) - _LISTED} more"] if len(moved.problems) > _LISTED else []
        chat.note("not restored: " + "; ".join([*map(sanitize_line, moved.problems[:_LISTED]), *more]), "warning")
    return moved


async def _may_stop(chat: Chat) -> bool:
    """Ask whether the jobs that could change files meanwhile are stopped."""
    lines = [sanitize_line(job.line) for job in chat.host.runtime.agent.context.jobs.running]
    choices = [ConfirmChoice("n", "no, change nothing", False), ConfirmChoice("y", "yes, stop them", True)]
    title = "Commands in the background may change files. Stop them?"
    return await chat.ask(Confirm(title, choices, "\n".join(lines[:_LISTED])), behind=True) or False


def _insert(chat: Chat, moved: "Moved") -> None:
    if moved.message is not None and not chat.prompt_input.text:
        chat.insert(moved.message.shown_text)


def _files(chat: Chat, moved: "Moved") -> str:
    if not moved.restored:
        return "no file was restored"
    return f"restored {_listed(chat, moved.restored).replace(chr(10), ', ')}"


def _listed(chat: Chat, paths: list[str]) -> str:
    lines = [sanitize_line(_shown_path(path, chat.host.runtime.cwd)) for path in paths[:_LISTED]]
    return "\n".join([*lines, f"and {len(paths) - _LISTED} more"] if len(paths) > _LISTED else lines)


def _shown_path(path: str, cwd: str) -> str:
    """Return a path as people know it: relative to the working directory, if it is below that."""
    return path.removeprefix(os.path.join(os.path.realpath(cwd), ""))


def _count(files: int) -> str:
    return f"{files} files" if files > 1 else "1 file"


COMMANDS = (
    SlashCommand("tree", "", "go back to an entry of any branch", "cancel", tree),
    SlashCommand("edit", "", "change an earlier prompt and ask again", "cancel", edit_prompt),
    SlashCommand("fork", "", "continue before a prompt in a new session", "cancel", fork),
    SlashCommand("clone", "", "continue in a copy of the session", "cancel", clone),
    SlashCommand("undo", "", "go back to before the last prompt, with the files", "cancel", undo),
    SlashCommand("redo", "", "take back the last undo", "wait", redo),
    SlashCommand("diff", "", "show what this session changed", "now", diff),
)
