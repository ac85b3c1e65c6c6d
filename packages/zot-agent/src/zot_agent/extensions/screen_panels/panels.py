"""`ScreenPanels`: the panels that extensions draw themselves: their places, their keys and their time limits."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from zot_agent.extensions.screen_panels.layout import Layout, read_layout
from zot_agent.extensions.screen_panels.owned import OwnedPanel, PanelWishes
from zot_agent.extensions.screen_panels.owner import PanelOwner, PanelSlot
from zot_core.conversation.events import ExtensionEvent, PanelClose, PanelShow
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol import from_host
from zot_ext.protocol.from_extension import PanelDraw, PanelKeyResult
from zot_provider.errors import ZotError

PER_SECOND = 30.0
"""How often contents and sizes are passed on at most."""

TWICE = 2.0
"""Seconds within which a second Esc or Ctrl+C closes a panel that handles them."""

MOST = 20
"""Open panels of one extension."""

PASTED = 10_000
"""Characters of a paste that are typed, where a panel does not want pastes."""

LONGEST_PASTE = 1_000_000


class TooManyPanels(ZotError):
    """The extension has `MOST` open panels."""


class ScreenPanels:
    """The open panels of the group `panels2`. `emit` takes their events. `older` has the panel of the first group.

    What changes is passed on at most `PER_SECOND` times a second, the newest only; what answers a key at once.
    """

    def __init__(self, emit: Callable[[ExtensionEvent], None], older: PanelSlot, limits: ExtensionLimits) -> None:
        self._emit, self._older, self._limits = emit, older, limits
        self._panels: list[OwnedPanel] = []
        self._numbers, self._fronts = itertools.count(1), itertools.count(1)
        self._sent: dict[int, tuple[float, object]] = {}  # unanswered keys: when they were sent, and what was pressed
        self._flush_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None
        self.answered: Callable[[], object] = lambda: None
        """Called when what answers a key has been passed on."""
        self.unused: Callable[[Any], object] = lambda _: None
        """Called with what was pressed when a panel has no use for it."""

    # For extensions

    def open(self, owner: PanelOwner, id: str, wishes: PanelWishes, given: dict[str, Any]) -> OwnedPanel:
        """Open a panel, in place of one with its id. Raises `TooManyPanels`, and ValueError for a wrong place."""
        layout = read_layout(given, Layout())
        if (before := self._find(owner, id)) is not None:
            self._remove(before)
        if sum(each.owner is owner for each in self._panels) >= MOST:
            raise TooManyPanels(f"{MOST} panels of this extension are open already")
        if wishes.mode != "overlay":
            self._older.close()
            self.close_beside()
        panel = OwnedPanel(owner, id, wishes, layout)
        panel.order = next(self._fronts)
        self._panels.append(panel)
        if panel.wants_keys:
            self._older.in_front = False
        self._change(panel, given)
        return panel

    def change(self, owner: PanelOwner, id: str, given: dict[str, Any]) -> OwnedPanel | None:
        """Change an open panel, or return None if it is not open. Raises ValueError for a wrong place."""
        panel = self._find(owner, id)
        if panel is not None:
            panel.layout = read_layout(given, panel.layout)
            self._change(panel, given)
        return panel

    def _change(self, panel: OwnedPanel, given: dict[str, Any]) -> None:
        for name in ("title", "footer"):
            if given.get(name) is not None:
                setattr(panel, name, given[name][:500])
        if given.get("hidden") is not None:
            panel.hidden = given["hidden"]
        if given.get("lines") is not None:
            panel.newest = given["lines"]
        if given.get("focus") is not None:
            panel.wants_keys = given["focus"]
            if panel.wants_keys:
                panel.order = next(self._fronts)
                self._older.in_front = False
        panel.arrange(self._older.screen())
        panel.sent_room = panel.room  # the answer of the call has it
        self.outdated()

    def received(self, owner: PanelOwner, frame: PanelDraw | PanelKeyResult) -> None:
        """Carry out a frame; ignored unless its panel is open."""
        panel = self._find(owner, frame.panel_id)
        if panel is None:
            return
        if isinstance(frame, PanelDraw):
            panel.newest = frame.lines
            panel.cursor = (frame.cursor_row, frame.cursor_column) if frame.cursor_row >= 0 else None
            self.outdated()
            return
        sent, pressed = self._sent.pop(frame.seq, (float("-inf"), None))
        if panel.owed and frame.seq >= panel.owed:
            panel.owed = 0
        if pressed is not None and not frame.consumed and self._now() - sent <= self._limits.panel_key_seconds:
            self.unused(pressed)
        if panel.newest is not None:
            self._flush()
        self.answered()

    def closed_by(self, owner: PanelOwner, id: str) -> bool:
        """Close a panel because its extension said so. Return whether it was open."""
        panel = self._find(owner, id)
        if panel is not None:
            self._remove(panel)
        return panel is not None

    def drop(self, owner: PanelOwner) -> None:
        """Close the panels of an extension that has ended."""
        for panel in [each for each in self._panels if each.owner is owner]:
            self._remove(panel)

    # For front ends

    @property
    def focused(self) -> OwnedPanel | None:
        """The panel that has the keys, if it is one of these."""
        if self._older.panel is not None and self._older.in_front:
            return None
        wanting = [each for each in self._panels if each.wants_keys and each.visible]
        return max(wanting, key=lambda each: each.order, default=None)

    @property
    def open_now(self) -> bool:
        """Whether a panel is open."""
        return bool(self._panels)

    def resize(self) -> None:
        """Follow another size of the screen."""
        for panel in self._panels:
            panel.arrange(self._older.screen())
        self._show()
        self.outdated()

    def press(
        self, key: str, text: str = "", mods: Sequence[str] = (), pressed: object = None, *, repeated: bool = False
    ) -> bool:
        """Send a key to the panel that has the keys; False if none has. Esc and Ctrl+C close it, unless it handles
        them: then the second one does, and no answer in time. `pressed` is for `unused`; a `repeated` key is held
        down."""
        panel = self.focused
        if panel is None:
            return False
        number = next(self._numbers)
        if (key, *mods) in (("esc",), ("c", "ctrl")):
            handles = panel.wishes.handles_esc if key == "esc" else panel.wishes.handles_ctrl_c
            if handles and repeated:
                return True  # a key that is held down is no second press
            if not handles or panel.owed or self._now() - panel.asked_to_close <= TWICE:
                self.close(panel)
                return True
            panel.asked_to_close, panel.owed = self._now(), number
            asyncio.get_running_loop().call_later(self._limits.panel_stop_seconds, self._check_answer, panel, number)
        if len(self._sent) > 1000:
            self._sent.clear()  # nobody answers; a late answer changes nothing
        self._sent[number] = self._now(), pressed
        kind = "repeat" if repeated and panel.wishes.key_kinds else "press"
        panel.owner.send(from_host.PanelKey(panel.id, key, text, tuple(mods), number, kind))
        return True

    def release(self, key: str, text: str = "", mods: Sequence[str] = ()) -> None:
        """Tell the panel that has the keys, if it wants to know, that one was let go. It does not answer."""
        panel = self.focused
        if panel is not None and panel.wishes.key_kinds:
            panel.owner.send(from_host.PanelKey(panel.id, key, text, tuple(mods), kind="release"))

    def _check_answer(self, panel: OwnedPanel, number: int) -> None:
        if panel.owed == number and panel in self._panels:
            self.close(panel)

    def paste(self, text: str) -> bool:
        """Pass on a paste, or type it on one line. False if no panel has the keys."""
        panel = self.focused
        if panel is None:
            return False
        if panel.wishes.paste:
            panel.owner.send(from_host.PanelPaste(panel.id, text[:LONGEST_PASTE]))
        else:
            for letter in text[:PASTED]:
                if letter.isprintable():
                    self.press("rune", letter)
        return True

    def mouse(self, extension: str, id: str, action: str, row: int, column: int, button: int) -> bool:
        """Pass on the mouse over a cell of a panel, whose lines begin at 0, 0. Return whether it wants that."""
        panel = next((each for each in self._panels if (each.owner.name, each.id) == (extension, id)), None)
        if panel is None or not panel.wishes.mouse:
            return False
        panel.owner.send(from_host.PanelMouse(id, action, row, column, button))
        return True

    def close(self, panel: OwnedPanel) -> None:
        """Close a panel for the person."""
        panel.owner.send(from_host.PanelClose(panel.id))
        self._remove(panel)

    def close_beside(self) -> None:
        """Close the panel above or in place of the editor, because another one takes its place."""
        for panel in [each for each in self._panels if each.wishes.mode != "overlay"]:
            self.close(panel)

    # Passing on

    def _find(self, owner: PanelOwner, id: str) -> OwnedPanel | None:
        return next((each for each in self._panels if each.owner is owner and each.id == id), None)

    def _remove(self, panel: OwnedPanel) -> None:
        self._panels.remove(panel)
        if panel.shown is not None:
            self._emit(PanelClose(panel.owner.name, panel.id))
        self.outdated()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def outdated(self) -> None:
        """Pass on what has changed, now or when the time has come."""
        if self._timer is not None:
            return
        left = self._flush_at + 1 / PER_SECOND - self._now()
        if left <= 0:
            self._flush()
        else:
            self._timer = asyncio.get_running_loop().call_later(left, self._flush)

    def _show(self) -> None:
        """Emit what has changed of the panels."""
        focused = self.focused
        for panel in [*self._panels]:
            view = panel.view(focused=panel is focused)
            if view != panel.shown:
                panel.shown = view
                self._emit(PanelShow(panel.owner.name, view))

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flush_at = self._now()
        for panel in self._panels:
            if panel.newest is not None:
                panel.use_newest()
                panel.arrange(self._older.screen())
        self._show()
        focused = self.focused
        for panel in sorted(self._panels, key=lambda each: each is focused):  # who loses the keys hears it first
            if panel.room != panel.sent_room:
                panel.sent_room = panel.room
                panel.owner.send(from_host.PanelResize(panel.id, *panel.room))
            if panel.sent_focus != (panel is focused):
                panel.sent_focus = panel is focused
                panel.owner.send(from_host.PanelFocus(panel.id, panel.sent_focus))
