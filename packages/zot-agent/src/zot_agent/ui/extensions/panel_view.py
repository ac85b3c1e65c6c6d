"""`PanelView`: the panels that extensions draw themselves, on the chat screen."""

from zot_agent.extensions.panels.panels import Panels
from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.screen import Screen
from zot_core.conversation.events import PanelClose, PanelShow, PlacedPanel
from zot_tui.keys.key import Key, parse_key
from zot_tui.terminal.canvas import lay_over
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.widgets.dialogs.framed_panel import FramedPanel
from zot_tui.widgets.transcript.transcript import TRANSCRIPT_ACTIONS

RATE = 30.0
"""Redraws a second while a panel is open, keys aside."""

_SCROLLING = {action.name: action for action in TRANSCRIPT_ACTIONS}


class PanelView:
    """Draws the panels, and passes held keys and the mouse to them. `title` makes the title of a panel's frame."""

    def __init__(self, chat: Chat, view: Screen, panels: Panels) -> None:
        self._chat, self._view, self._panels = chat, view, panels
        self._shown: dict[tuple[str, str], tuple[PlacedPanel, FramedPanel]] = {}
        self._usual_rate, self._usual_mouse = chat.app.pace.rate, chat.app.mouse
        self._pressed: tuple[str, str] | None = None  # the panel over which a mouse button is held
        panels.answered.add(self._answered)
        panels.unused.add(self._unused)
        view.lay_panels(self)

    def show(self, event: PanelShow | PanelClose, title: str = "") -> bool:
        """Open, change or close a panel. Return whether it is one of these."""
        if isinstance(event, PanelClose):
            if self._shown.pop((event.extension, event.panel_id), None) is None:
                return False
        else:
            panel = event.panel
            key = event.extension, panel.id
            before = self._shown.get(key)
            boxed = panel.mode == "overlay"
            framed = before[1] if before is not None and before[0].mode == panel.mode else None
            if framed is None:
                framed = FramedPanel(lambda: self._chat.app.theme, boxed=boxed, closes=parse_key("esc").label)
            framed.update(
                title, panel.lines, panel.footer, height=panel.height, focused=panel.focused, cursor=panel.cursor
            )
            self._shown[key] = panel, framed
        app, wants_mouse = self._chat.app, any(each.mouse and not each.hidden for each, _ in self._shown.values())
        self._view.typing_changed()
        app.pace.rate = RATE if self._shown else self._usual_rate
        if app.mouse != (wants_mouse or self._usual_mouse):
            app.mouse = wants_mouse or self._usual_mouse
        app.screen.key_kinds = any(each.key_kinds and each.focused for each, _ in self._shown.values())
        return True

    def dress(self) -> None:
        """Follow another theme."""
        for _, framed in self._shown.values():
            framed.dress()

    # For the screen

    @property
    def has_keys(self) -> bool:
        return self._panels.focused is not None

    def beside(self, mode: str) -> FramedPanel | None:
        """The panel that is above the editor (`inline`), or in its place (`replace_editor`)."""
        shown = (framed for panel, framed in self._shown.values() if panel.mode == mode and not panel.hidden)
        return next(shown, None)

    def over(self, whole: urwid.Canvas) -> urwid.Canvas:
        """Return the drawn screen with the overlays over it."""
        for panel, framed in self._overlays():
            drawn = framed.render((panel.width,))
            whole = lay_over(whole, drawn, panel.column, panel.row)
        return whole

    def mouse(self, name: str, button: int, column: int, row: int) -> bool:
        """Pass on the mouse over an overlay. Return whether it was over one."""
        action = "wheel" if button > 3 else name.rpartition(" ")[2]
        over = next(
            (
                (key, panel)
                for key, panel in self._by_order()
                if panel.column <= column < panel.column + panel.width and panel.row <= row < panel.row + panel.height
            ),
            None,
        )
        if action in ("drag", "release") and self._pressed is not None:
            held = self._shown.get(self._pressed)
            over = None if held is None else (self._pressed, held[0])
        if over is None:
            return False
        key, panel = over
        self._pressed = key if action == "press" else self._pressed if action == "drag" else None
        within = (
            max(0, min(column - panel.column - 1, panel.width - 3)),
            max(0, min(row - panel.row - 1, panel.height - 3)),
        )
        self._panels.mouse(*key, action, within[1], within[0], button)
        return True

    def _overlays(self) -> list[tuple[PlacedPanel, FramedPanel]]:
        shown = [each for each in self._shown.values() if each[0].mode == "overlay" and not each[0].hidden]
        return sorted(shown, key=lambda each: each[0].order)

    def _by_order(self) -> list[tuple[tuple[str, str], PlacedPanel]]:
        """The overlays, the uppermost first."""
        shown = [
            (key, panel) for key, (panel, _) in self._shown.items() if panel.mode == "overlay" and not panel.hidden
        ]
        return sorted(shown, key=lambda each: -each[1].order)

    # Keys

    def held(self, key: Key, released: bool) -> bool:  # noqa: FBT001  of `App`
        if self._view.stack.top is not None or not self.has_keys:
            return False
        if released:
            self._panels.release(key.name, key.text, key.modifiers)
            return True
        self._view.stack.touch()
        return self._panels.press(key.name, key.text, key.modifiers, key, repeated=True)

    def _answered(self, _: None) -> None:
        if self._chat.app.drawing:
            self._chat.app.draw()

    def _unused(self, key: Key) -> None:
        binding = self._chat.keys.keymap.find(key, (CHAT,))
        action = None if binding is None else _SCROLLING.get(binding.action)
        if action is not None:
            action.run(self._view.transcript)
            self._chat.app.redraw()
