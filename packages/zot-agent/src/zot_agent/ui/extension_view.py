"""`ExtensionView`: panels and notes of extensions, and the question whether a project's extension may run."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.ui.commands import ReservedNames
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.screen import Screen
from zot_core.conversation.events import Panel, PanelClose, PanelOpen, PanelRender
from zot_tui.keys.key import Key, panel_key, parse_key
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.panel import PanelWidget
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice

if TYPE_CHECKING:
    from zot_agent.extensions.host import Extensions
    from zot_agent.extensions.managed import ManagedExtension

PASTED = 10_000
"""Characters of a paste passed on to an extension's panel, one by one, as if typed on one line."""

_CLOSES = parse_key("esc").label


class ExtensionView:
    """Shows the extensions of a chat's host, which may have none yet.

    `registered` is called when an extension has registered its tools and commands, or has failed to.
    """

    def __init__(self, chat: Chat, view: Screen, presenter: Presenter, *, registered: Callable[[], None]) -> None:
        self._chat, self._view, self._presenter, self._registered = chat, view, presenter, registered
        self._watched: Extensions | None = None
        self.watch()

    def watch(self) -> None:
        """Start following the extensions, also after a reload. Calling it again is harmless."""
        extensions = self._chat.host.extensions
        if extensions is None:
            return
        if self._watched is None:
            self._watched = extensions
            extensions.reserve(ReservedNames())
        else:
            self._registered()
        for member in extensions.members:
            member.started.add_done_callback(partial(self._up, member))

    def _up(self, member: "ManagedExtension", _: object) -> None:
        for conflict in member.name_conflicts:
            if not conflict.own:
                self._presenter.note(conflict.why, "warning", member.name)
        self._registered()

    def show(self, event: PanelOpen | PanelRender | PanelClose) -> None:
        """Open, update or close the panel of an extension."""
        view = self._view
        if isinstance(event, PanelClose):
            view.panel = None
            return
        panel: Panel = event.panel
        if isinstance(event, PanelOpen):
            view.panel = PanelWidget(panel.title, panel.lines, panel.footer, closes=_CLOSES)
        elif view.panel is not None:
            view.panel.update(panel.title, panel.lines, panel.footer)

    def key(self, key: Key) -> bool:
        """Pass a key to the open panel, or close it on Esc and Ctrl+C. Return False if no panel has the keys."""
        if self._view.panel is None or self._view.stack.top is not None or self._watched is None:
            return False
        self._view.stack.touch()
        panels = self._watched.panels
        if str(key) == "ctrl+c":
            panels.close()
        elif (pressed := panel_key(key)) is not None:
            panels.key(*pressed)
        return True

    def paste(self, text: str) -> bool:
        """Type a paste into the open panel. Return False if no panel is open."""
        if self._view.panel is None or self._watched is None:
            return False
        for letter in sanitize_line(text[:PASTED]):
            self._watched.panels.key("rune", letter)
        return True


async def ask_for_extensions(chat: Chat) -> None:
    """Ask about each of the project's extensions that the user has not decided on, and start the allowed ones."""
    choice = chat.host.choice
    if choice is None:
        return
    allowed = False
    for found in list(choice.undecided):
        answer = await chat.ask(_question(found), behind=True)
        if answer is not None:
            choice.decide(found, allowed=answer)
            allowed = allowed or answer
    if allowed:
        stats = await chat.host.reload_extensions()
        for error in stats.errors:
            chat.note(error, "error")


def _question(found: DiscoveredExtension) -> Confirm[bool]:
    runs = " ".join([found.manifest.exec, *found.manifest.args])
    text = (
        f"{found.name} in {found.directory} would start\n\n    {runs}\n\n"
        "It can do anything you can: read your files and keys, run programs, watch and change what zot does. "
        "You will be asked again when it changes."
    )
    choices = [
        ConfirmChoice("y", "start it now and in the future", value=True),
        ConfirmChoice("n", "never start it", value=False),
    ]
    return Confirm(
        "This project has an extension. May it run?", choices, text, chosen=1, note="esc leaves it undecided"
    )
