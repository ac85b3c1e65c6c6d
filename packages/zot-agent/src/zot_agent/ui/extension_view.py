"""`ExtensionView`: panels and notes of extensions."""

from functools import partial
from typing import TYPE_CHECKING

from zot_agent.ui.commands import ReservedNames
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.screen import Screen
from zot_core.conversation.events import Panel, PanelClose, PanelOpen, PanelRender
from zot_tui.keys.key import Key, panel_key, parse_key
from zot_tui.signal import Signal
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.panel import PanelWidget

if TYPE_CHECKING:
    from zot_agent.extensions.host import Extensions
    from zot_agent.extensions.managed import ManagedExtension

PASTED = 10_000
"""Characters of a paste passed on to an extension's panel, one by one, as if typed on one line."""

_CLOSES = parse_key("esc").label


class ExtensionView:
    """Shows the extensions of a chat's host, which may have none yet.

    `registered` is emitted when an extension has registered its tools and commands, or has failed to.
    """

    def __init__(self, chat: Chat, view: Screen, presenter: Presenter) -> None:
        self._chat, self._view, self._presenter = chat, view, presenter
        self.registered: Signal[[]] = Signal()
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
            self.registered.emit()
        for member in extensions.members:
            member.started.add_done_callback(partial(self._up, member))

    def _up(self, member: "ManagedExtension", _: object) -> None:
        for conflict in member.name_conflicts:
            if not conflict.own:
                self._presenter.note(conflict.why, "warning", member.name)
        self.registered.emit()

    def show(self, event: PanelOpen | PanelRender | PanelClose) -> None:
        """Open, update or close the panel of an extension."""
        view = self._view
        if isinstance(event, PanelClose):
            view.panel = None
            return
        panel: Panel = event.panel
        title = _labelled(panel.title, event.extension)
        if isinstance(event, PanelOpen):
            view.panel = PanelWidget(title, panel.lines, panel.footer, closes=_CLOSES)
        elif view.panel is not None:
            view.panel.update(title, panel.lines, panel.footer)

    def press(self, key: Key) -> bool:
        """Pass a key to the open panel, or close it on Esc and Ctrl+C. Return False if no panel is open."""
        if self._view.panel is None or self._watched is None:
            return False
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


def _labelled(title: str, extension: str) -> str:
    """Return the title with the name of the extension: a panel must not look like a question of zot."""
    name = sanitize_line(extension)
    return title if title.casefold().startswith(name.casefold()) else f"{name}: {title}" if title else name
