"""`ExtensionView`: panels, widgets and notes of extensions, and what the screen does for them."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, get_args

from zot_agent.ui.commands import KEYS
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.screen import Screen
from zot_core.conversation.events import (
    Alert,
    Panel,
    PanelClose,
    PanelOpen,
    PanelRender,
    PanelShow,
    TitleChange,
    WidgetChange,
    WorkingChange,
)
from zot_core.conversation.extensions import FrontEndActions
from zot_core.errors import Busy
from zot_provider.errors import ConfigError
from zot_tui.keys.key import Key, parse_key
from zot_tui.signal import Signal
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.panel import PanelWidget

if TYPE_CHECKING:
    from zot_agent.extensions.host import Extensions
    from zot_agent.extensions.managed import ManagedExtension
    from zot_agent.ui.extensions.panel_view import PanelView
    from zot_agent.ui.extensions.screen_access import ChatAccess
    from zot_agent.ui.extensions.widget_view import WidgetView
    from zot_core.conversation.dialogs import DialogAnswer, ExtensionDialog
    from zot_core.machine.shell import Launch
    from zot_provider.auth.session import SignInSession

Shown: TypeAlias = PanelShow | PanelOpen | PanelRender | PanelClose | WidgetChange | TitleChange | WorkingChange | Alert
SHOWN = get_args(Shown)
"""The events that it shows."""

_CLOSES = parse_key("esc").label


class ExtensionView:
    """Shows the extensions of a chat's host, which may have none yet.

    `registered` is emitted when an extension has registered its tools and commands, or has failed to; `asking` with
    True when a question of one opens, and with False when it closes.
    """

    def __init__(self, chat: Chat, view: Screen, presenter: Presenter, asking: "Signal[[bool]]") -> None:
        self._chat, self._view, self._presenter = chat, view, presenter

        async def ask_person(dialog: "ExtensionDialog") -> "DialogAnswer":
            from zot_agent.ui.questions.dialogs import show_dialog  # noqa: PLC0415  few extensions ask

            return await show_dialog(chat, dialog, asking)

        self.registered: Signal[[]] = Signal()
        chat.host.conversation.actions = FrontEndActions(
            self._open_session,
            chat.app.exit,
            self._run_program,
            self._screen_access,
            self._screen_access,
            self._sign_in,
            shows_widgets=True,
            shows_panels=True,
            keys=self._screen_access,
            renderers=self._screen_access,
            ask_person=ask_person,
        )
        self._watched: Extensions | None = None
        self._starts: set[asyncio.Task[None]] = set()  # followed already
        self._told = False
        self._widgets: WidgetView | None = None
        self._panels: PanelView | None = None
        self._access: ChatAccess | None = None
        self._keyed: set[str] = set()  # extensions whose manifests have modes of the editor
        self.watch()

    def watch(self) -> None:
        """Start following the extensions, also after a reload. Calling it again is harmless."""
        extensions = self._chat.host.extensions
        if extensions is None:
            return
        if self._watched is None:
            self._watched = extensions
            extensions.reserve(KEYS)
            notify = extensions.notify
            extensions.changed.add(lambda _: self._changed())
            extensions.panels.resize(*self._chat.app.window.size)
            self._chat.app.window.resized.connect(lambda width, height: notify("resize", width=width, height=height))
            self._chat.app.window.resized.connect(extensions.panels.resize)
            self._chat.themes.switched.connect(lambda theme: notify("theme_changed", theme=theme.name))
        else:
            self.use_modes()
            self.registered.emit()
        if any(member.late is not None for member in extensions.members):
            self.registered.emit()  # what they registered in their last run
        for member in extensions.members:
            if member.started not in self._starts:
                member.started.add_done_callback(partial(self._up, member))
        self._starts = {member.started for member in extensions.members}

    def use_modes(self) -> None:
        """Use the modes of the editor that manifests have."""
        choice = self._chat.host.choice
        active = choice.found.active() if choice is not None else []
        given = {each.name: each.manifest.editor_modes.value for each in active if each.manifest.editor_modes}
        for name in self._keyed - given.keys():
            self._screen_access().editing.set_modes(name, None)
        self._keyed = {*given}
        for name, modes in given.items():
            try:
                self._screen_access().editing.set_modes(name, modes)
            except ConfigError as error:
                self._presenter.note(f"editor_modes: {error}", "warning", name)

    def _changed(self) -> None:
        """Offer what an extension registers after its start, too: once for all that it registers together."""
        if not self._told:
            self._told = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._told = False
        self.registered.emit()

    def _up(self, member: "ManagedExtension", _: object) -> None:
        for conflict in member.registrations.conflicts:
            if not conflict.own:
                self._presenter.note(conflict.why, "warning", member.name)
        self.registered.emit()

    @property
    def title(self) -> str:
        """The window's title that an extension wants; empty for that of zot."""
        return "" if self._widgets is None else self._widgets.title

    @property
    def status(self) -> list[str]:
        """The texts of extensions in the status row."""
        return [] if self._widgets is None else self._widgets.area.status

    def dress(self) -> None:
        """Follow another theme."""
        if self._widgets is not None:
            self._widgets.dress()
        if self._panels is not None:
            self._panels.dress()

    def show(self, event: Shown) -> None:
        """Open, update or close a panel, show what an extension shows beside the conversation, or call the person."""
        view = self._view
        if isinstance(event, Alert):
            self._chat.app.window.notify(_labelled(event.text, event.extension), self._chat.host.settings.notify)
            return
        if isinstance(event, WidgetChange | TitleChange | WorkingChange):
            if self._widgets is None:
                from zot_agent.ui.extensions.widget_view import WidgetView  # noqa: PLC0415  few extensions have widgets

                self._widgets = WidgetView(view, lambda: self._chat.app.theme, self._presenter.style)
            self._widgets.show(event)
            if not isinstance(event, WidgetChange) or event.place == "status":
                self._chat.refresh()
            return
        if isinstance(event, PanelShow):
            self._own_panels().show(event, _labelled(event.panel.title, event.extension))
            return
        if isinstance(event, PanelClose):
            if self._panels is None or not self._panels.show(event):
                view.panel = None
            return
        panel: Panel = event.panel
        title = _labelled(panel.title, event.extension)
        if isinstance(event, PanelOpen):
            view.panel = PanelWidget(title, panel.lines, panel.footer, closes=_CLOSES)
        elif view.panel is not None:
            view.panel.update(title, panel.lines, panel.footer)

    def _own_panels(self) -> "PanelView":
        if self._panels is None:
            from zot_agent.ui.extensions.panel_view import PanelView  # noqa: PLC0415  as above

            assert self._watched is not None
            self._panels = PanelView(self._chat, self._view, self._watched.panels)
        return self._panels

    def _screen_access(self) -> "ChatAccess":
        if self._access is None:
            from zot_agent.ui.extensions.screen_access import ChatAccess  # noqa: PLC0415  few extensions need it

            self._access = ChatAccess(self._chat, self._view)
        return self._access

    async def _open_session(self, path: str, *, fork: bool = False) -> list[str]:
        lines = await self._chat.host.open_session(path, fork=fork)
        for line in lines:
            self._chat.note(line, "warning")
        return lines

    async def _run_program(self, launch: "Launch") -> int:
        if not self._chat.app.visible:
            raise Busy("another program has the terminal")
        from zot_agent.ui.input.editor_program import run_program  # noqa: PLC0415  few extensions want the terminal

        with self._chat.app.suspended():
            try:
                return await run_program(launch.argv, cwd=launch.cwd, env=launch.env)
            finally:
                self._view.stack.touch()  # keys were pressed until now

    async def _sign_in(self, session: "SignInSession", title: str) -> bool:
        from zot_agent.ui.questions.sign_in import sign_in  # noqa: PLC0415  as above

        chat = self._chat
        removed = [variable for each in chat.host.models.providers for variable in each.key_env]
        return (
            await sign_in(partial(chat.ask, behind=True), chat.app, session, sanitize_line(title), removed) is not None
        )

    def press(self, key: Key) -> bool:
        """Pass a key to the open panel. Without a panel, let it wait for extensions that are asked about keys. Return
        False if none wants it."""
        if self._watched is not None and self._watched.panels.press(key.name, key.text, key.modifiers, key):
            return True
        return self._access is not None and self._access.takes(key)

    def paste(self, text: str) -> bool:
        """Type a paste into the open panel, or let it wait for the keys before it. Return False otherwise."""
        if self._watched is not None and self._watched.panels.paste(text):
            return True
        return self._access is not None and self._access.takes_paste(text)


def _labelled(title: str, extension: str) -> str:
    """Return the title with the name of the extension: a panel must not look like a question of zot."""
    name = sanitize_line(extension)
    named = _words(title).startswith(_words(name))
    return title if named else f"{name}: {title}" if title else name


def _words(name: str) -> str:
    return name.casefold().replace("-", " ").replace("_", " ")
