"""The question whether what a project brings may be used: extensions, skills, prompt templates, instructions."""

import asyncio
import os
from collections.abc import Sequence

from zot_agent.config.settings import Settings
from zot_agent.host.project import Project
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.format.status import shown_folder
from zot_agent.ui.settings.live import apply_settings
from zot_provider.errors import ConfigError
from zot_tui.text.sanitize import reveal, sanitize_line
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice

_NAMED = 10
"""Changed files that the question names."""


async def ask_about_project(chat: Chat) -> None:
    """Ask, if neither the person nor an extension has decided yet, and use what they allow. Anything else than yes or
    no leaves it open."""
    choice, before = chat.host.choice, chat.host.settings
    if choice is None or choice.undecided is None:
        return
    try:
        answers = await chat.host.ask_about_project()
    except ConfigError as error:
        chat.note(str(error), "error")
        return
    if answers:
        for line in answers:
            chat.note(sanitize_line(line))
        _use_settings(chat, before)
        return
    project, changes = choice.undecided, await asyncio.to_thread(choice.changes)
    answer = await chat.ask(_question(project, changes), behind=True)
    if answer is None:
        return
    try:
        await asyncio.to_thread(choice.decide, allowed=answer)
    except ConfigError as error:
        chat.note(str(error), "error")
        return
    names = sanitize_line(project.names())
    if not answer:
        chat.note(f"not in use: {names}")
        return
    for line in await chat.host.use_project():
        chat.note(line, "error")
    _use_settings(chat, before)
    chat.note(f"in use: {names}", "success")


def _use_settings(chat: Chat, before: Settings) -> None:
    for key in apply_settings(chat, before):
        chat.note(f"{key}: from the next start")


def _question(project: Project, changes: Sequence[str]) -> Confirm[bool]:
    changed = ""
    if changes:
        more = f" and {len(changes) - _NAMED} more" if len(changes) > _NAMED else ""
        changed = f"Changed since you allowed it: {sanitize_line(', '.join(changes[:_NAMED]))}{more}\n\n"
    folder = shown_folder(project.folder, os.path.realpath(os.path.expanduser("~")))
    brings = "\n".join(f"    {sanitize_line(reveal(line))}" for line in project.lines())
    text = (
        f"{sanitize_line(reveal(folder))} brings\n\n{brings}\n\n{changed}"
        "An extension can do anything you can, unless it says what it may: read your files and keys, run programs, "
        "watch and change what zot does. "
        "You will be asked again when any of this changes."
    )
    choices = [
        ConfirmChoice("y", "use it now and in the future", value=True),
        ConfirmChoice("n", "never use it", value=False),
    ]
    return Confirm("May zot use what this folder brings?", choices, text, chosen=1, note="esc leaves it undecided")
