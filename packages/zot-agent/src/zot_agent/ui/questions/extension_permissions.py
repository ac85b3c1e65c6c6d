"""The question whether an installed extension may do what its manifest asks for."""

import asyncio
import os

from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.permissions.lines import NOTHING, permission_lines
from zot_agent.host.extension_grants import ExtensionGrants
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.format.status import shown_folder
from zot_provider.errors import ConfigError
from zot_tui.text.sanitize import reveal, sanitize_line
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice

_NAMED = 10
"""Changes that the question names."""


async def ask_about_extensions(chat: Chat) -> None:
    """Ask about each extension that waits for it, and start what the person allows. Anything else than yes or no leaves
    it open."""
    choice = chat.host.choice
    if choice is None or not choice.waiting:
        return
    grants = ExtensionGrants(zot_home())
    allowed = list[str]()
    for found in choice.waiting:
        changes = await asyncio.to_thread(grants.changes, found)
        answer = await chat.ask(_question(found, changes), behind=True)
        if answer is None:
            continue
        try:
            await asyncio.to_thread(grants.remember, found, allowed=answer)
        except ConfigError as error:
            chat.note(str(error), "error")
            continue
        name = sanitize_line(found.name)
        if answer:
            allowed.append(name)
        else:
            chat.note(f"extension {name} is not started")
    if allowed:
        for line in await chat.host.use_project():
            chat.note(line, "error")
        chat.note(f"in use: {', '.join(allowed)}", "success")


def _question(found: DiscoveredExtension, changes: list[str]) -> Confirm[bool]:
    may = permission_lines(found.manifest) or [NOTHING]
    lines = [f"    {sanitize_line(reveal(line))}" for line in may]
    if changes:
        more = f"\n    and {len(changes) - _NAMED} more" if len(changes) > _NAMED else ""
        named = "\n".join(f"    {sanitize_line(line)}" for line in changes[:_NAMED])
        lines.append(f"\nSince you allowed it:\n\n{named}{more}")
    rest = "It can do nothing else. " if found.manifest.permissions is not None else ""
    folder = shown_folder(found.directory, os.path.expanduser("~"))
    text = (
        f"{sanitize_line(found.name)}, in {sanitize_line(folder)}, wants to\n\n"
        + "\n".join(lines)
        + f"\n\n{rest}You will be asked again when its program or its manifest changes."
    )
    choices = [
        ConfirmChoice("y", "start it now and in the future", value=True),
        ConfirmChoice("n", "never start it", value=False),
    ]
    title = f"May the extension {sanitize_line(found.name)} do this?"
    return Confirm(title, choices, text, chosen=1, note="esc leaves it undecided")
