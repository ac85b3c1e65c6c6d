"""`Panels`: the open panels of extensions, as data: their places, their keys and their time limits."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zot_agent.extensions import frames
from zot_agent.extensions.panels.text import PanelOwner, TextPanel
from zot_core.conversation.events import ExtensionEvent, Panel, PanelClose, PanelOpen, PanelRender, PanelShow
from zot_core.hooks import Observe
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits

if TYPE_CHECKING:
    from typing import TypeAlias

    from zot_agent.extensions.panels.panel import OwnedPanel, PanelWishes
    from zot_ext.protocol.values import PanelSpec

    PanelFrame: TypeAlias = (
        frames.OpenPanel | frames.PanelRender | frames.PanelClose | frames.PanelDraw | frames.PanelKeyResult
    )

PER_SECOND = 30.0
"""How often contents and sizes are passed on at most."""

TWICE = 2.0
"""Seconds within which a second Esc or Ctrl+C closes a panel that handles them."""

MOST = 20
"""Open panels of one extension that it draws itself."""

PASTED = 10_000
"""Characters of a paste that are typed, where a panel does not want pastes."""

LONGEST_PASTE = 1_000_000


class Panels:
    """The open panels: a single panel of text, and panels that extensions draw themselves, in the group `panels2`. Only
    one of all is beside the editor. `emit` takes their events.

    What changes in a drawn panel is passed on at most `PER_SECOND` times a second, the newest only; what answers a key
    at once.
    """

    def __init__(self, emit: Callable[[ExtensionEvent], None], limits: ExtensionLimits = DEFAULT_LIMITS) -> None:
        self._emit, self._limits = emit, limits
        self._text: TextPanel | None = None
        self._drawn: list[OwnedPanel] = []
        self._screen = (80, 24)
        self._numbers, self._fronts = itertools.count(1), itertools.count(1)
        self._sent: dict[int, tuple[float, object]] = {}  # unanswered keys: when they were sent, and what was pressed
        self._flush_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None
        self.answered: Observe[None] = Observe()
        """Notified when what answers a key has been passed on."""
        self.unused: Observe[Any] = Observe()
        """Notified of what was pressed when a panel has no use for it."""

    # For extensions

    def received(self, owner: PanelOwner, frame: PanelFrame) -> None:
        """Carry out a frame of an extension; ignored unless its panel is open."""
        match frame:
            case frames.OpenPanel(panel):
                self.open(owner, panel)
            case frames.PanelRender():
                self._render(owner, frame)
            case frames.PanelClose(panel_id):
                if found := [each for each in self._all if each.owner is owner and each.id == panel_id]:
                    self._remove(found[0])
            case frames.PanelDraw() | frames.PanelKeyResult():
                self._draw(owner, frame)

    def open(self, owner: PanelOwner, spec: PanelSpec) -> None:
        """Open a panel of text, or replace the open panel of the same id."""
        text, self._text = self._text, None
        if text is not None and not (text.owner is owner and text.id == spec.id):
            self.close(text)
        self._close_beside()
        self._text = TextPanel(owner, Panel(spec.id, spec.title, spec.lines, spec.footer), next(self._fronts))
        self._emit(PanelOpen(owner.name, self._text.shown))
        self._outdated()

    def _render(self, owner: PanelOwner, frame: frames.PanelRender) -> None:
        """Show new contents. An empty title keeps the old title; the footer is always replaced."""
        text = self._text
        if text is not None and text.owner is owner and text.id == frame.panel_id:
            text.shown = Panel(text.id, frame.title or text.shown.title, frame.lines, frame.footer)
            self._emit(PanelRender(owner.name, text.shown))

    def open_drawn(self, owner: PanelOwner, id: str, wishes: PanelWishes, given: dict[str, Any]) -> OwnedPanel:
        """Open a panel that its extension draws, in place of one with its id. Raises `OperationFailed` if too many
        are open, and ValueError for a wrong place."""
        from zot_agent.extensions.panels.panel import OwnedPanel  # noqa: PLC0415  few extensions draw panels

        panel = OwnedPanel(owner, id, wishes, given)
        if (before := self._find(owner, id)) is not None:
            self._remove(before)
        if sum(each.owner is owner for each in self._drawn) >= MOST:
            from zot_agent.operations.fields import OperationFailed  # noqa: PLC0415  few extensions have panels

            raise OperationFailed("busy", f"{MOST} panels of this extension are open already")
        if panel.beside:
            self._close_beside()
        panel.order = next(self._fronts)
        self._drawn.append(panel)
        self._change(panel, given)
        return panel

    def change(self, owner: PanelOwner, id: str, given: dict[str, Any]) -> OwnedPanel | None:
        """Change an open panel that its extension draws; None if it is not open. Raises ValueError for a wrong
        place."""
        panel = self._find(owner, id)
        if panel is not None:
            panel.move(given)
            self._change(panel, given)
        return panel

    def _change(self, panel: OwnedPanel, given: Mapping[str, Any]) -> None:
        content = panel.content
        content.title = content.title if given.get("title") is None else given["title"][:500]
        content.footer = content.footer if given.get("footer") is None else given["footer"][:500]
        if given.get("hidden") is not None:
            panel.hidden = given["hidden"]
        if given.get("lines") is not None:
            content.newest = given["lines"]
        if given.get("focus") is not None:
            panel.wants_keys = given["focus"]
            if panel.wants_keys:
                panel.order = next(self._fronts)
        panel.arrange(self._screen)
        panel.sent_room = panel.room  # the answer of the call has it
        self._outdated()

    def _draw(self, owner: PanelOwner, frame: frames.PanelDraw | frames.PanelKeyResult) -> None:
        panel = self._find(owner, frame.panel_id)
        if panel is None:
            return
        if isinstance(frame, frames.PanelDraw):
            panel.content.newest = frame.lines
            panel.content.cursor = (frame.cursor_row, frame.cursor_column) if frame.cursor_row >= 0 else None
            self._outdated()
            return
        sent, pressed = self._sent.pop(frame.seq, (float("-inf"), None))
        if panel.owed and frame.seq >= panel.owed:
            panel.owed = 0
        if pressed is not None and not frame.consumed and self._now() - sent <= self._limits.panel_key_seconds:
            self.unused.notify(pressed)
        if panel.content.newest is not None:
            self._flush()
        self.answered.notify(None)

    def drop(self, owner: PanelOwner) -> None:
        """Close the panels of an extension that has ended."""
        for panel in self._all:
            if panel.owner is owner:
                self._remove(panel)

    # For front ends

    @property
    def panel(self) -> Panel | None:
        """The open panel of text, or None."""
        return None if self._text is None else self._text.shown

    @property
    def in_front(self) -> OwnedPanel | TextPanel | None:
        wanting = [each for each in self._all if each.wants_keys and each.visible]
        return max(wanting, key=lambda each: each.order, default=None)

    @property
    def focused(self) -> OwnedPanel | None:
        """The same, if its extension draws it."""
        panel = self.in_front
        return None if isinstance(panel, TextPanel) else panel

    @property
    def open_now(self) -> bool:
        return bool(self._all)

    def resize(self, columns: int, rows: int) -> None:
        """Follow the size of the screen, which is 80 by 24 until then."""
        self._screen = columns, rows
        for panel in self._drawn:
            panel.arrange(self._screen)
        self._show()
        self._outdated()

    def press(
        self, key: str, text: str = "", mods: Sequence[str] = (), pressed: object = None, *, repeated: bool = False
    ) -> bool:
        """Send a key to the panel that has the keys; False if none has. Esc and Ctrl+C close it, unless it handles
        them: then the second one does, and no answer in time. A panel of text gets the keys of `PANEL_KEYS` without
        modifiers. `pressed` is for `unused`; a `repeated` key is held down."""
        panel = self.in_front
        if panel is None:
            return False
        closes = (key, *mods) in (("esc",), ("c", "ctrl"))
        if isinstance(panel, TextPanel):
            if closes:
                self.close(panel)
            elif text if key == "rune" else key in frames.PANEL_KEYS and not mods:
                panel.owner.send(frames.PanelKey(panel.id, key, text))
            return True
        number = next(self._numbers)
        if closes:
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
        panel.owner.send(frames.PanelKey(panel.id, key, text, tuple(mods), number, kind))
        return True

    def release(self, key: str, text: str = "", mods: Sequence[str] = ()) -> None:
        """Tell the panel that has the keys, if it wants to know, that one was let go. It does not answer."""
        panel = self.focused
        if panel is not None and panel.wishes.key_kinds:
            panel.owner.send(frames.PanelKey(panel.id, key, text, tuple(mods), kind="release"))

    def _check_answer(self, panel: OwnedPanel, number: int) -> None:
        if panel.owed == number and panel in self._drawn:
            self.close(panel)

    def paste(self, text: str) -> bool:
        """Pass on a paste, or type it on one line. False if no panel has the keys."""
        panel = self.in_front
        if panel is None:
            return False
        if isinstance(panel, TextPanel):
            from zot_tui.text.sanitize import sanitize_line  # noqa: PLC0415  few panels get a paste

            letters = sanitize_line(text[:PASTED])
        elif panel.wishes.paste:
            panel.owner.send(frames.PanelPaste(panel.id, text[:LONGEST_PASTE]))
            return True
        else:
            letters = "".join(filter(str.isprintable, text[:PASTED]))
        for letter in letters:
            self.press("rune", letter)
        return True

    def mouse(self, extension: str, id: str, action: str, row: int, column: int, button: int) -> bool:
        """Pass on the mouse over a cell of a panel, whose lines begin at 0, 0. Return whether it wants that."""
        panel = next((each for each in self._drawn if (each.owner.name, each.id) == (extension, id)), None)
        if panel is None or not panel.wishes.mouse:
            return False
        panel.owner.send(frames.PanelMouse(id, action, row, column, button))
        return True

    def close(self, panel: OwnedPanel | TextPanel | None = None) -> None:
        """Close a panel for the person, by default that in front."""
        if (closed := panel or self.in_front) is not None:
            from zot_ext.protocol.from_host import PanelClose as CloseFrame  # noqa: PLC0415  few extensions have panels

            closed.owner.send(CloseFrame(closed.id))
            self._remove(closed)

    def _close_beside(self) -> None:
        """Close the panel above or in place of the editor, because another one takes its place."""
        for panel in self._all:
            if panel.beside:
                self.close(panel)

    # Passing on

    @property
    def _all(self) -> list[OwnedPanel | TextPanel]:
        return [*self._drawn] if self._text is None else [self._text, *self._drawn]

    def _find(self, owner: PanelOwner, id: str) -> OwnedPanel | None:
        return next((each for each in self._drawn if each.owner is owner and each.id == id), None)

    def _remove(self, panel: OwnedPanel | TextPanel) -> None:
        if isinstance(panel, TextPanel):
            self._text = None
        else:
            self._drawn.remove(panel)
        if panel.shown is not None:
            self._emit(PanelClose(panel.owner.name, panel.id))
        self._outdated()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _outdated(self) -> None:
        """Pass on what has changed of the drawn panels, now or when the time has come."""
        if self._timer is not None or not self._drawn:
            return
        left = self._flush_at + 1 / PER_SECOND - self._now()
        if left <= 0:
            self._flush()
        else:
            self._timer = asyncio.get_running_loop().call_later(left, self._flush)

    def _show(self) -> None:
        """Emit what has changed of the panels."""
        focused = self.focused
        for panel in [*self._drawn]:
            view = panel.view(focused=panel is focused)
            if view != panel.shown:
                panel.shown = view
                self._emit(PanelShow(panel.owner.name, view))

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flush_at = self._now()
        for panel in self._drawn:
            if panel.content.newest is not None:
                panel.content.use_newest()
                panel.arrange(self._screen)
        self._show()
        focused = self.focused
        for panel in sorted(self._drawn, key=lambda each: each is focused):  # who loses the keys hears it first
            if panel.room != panel.sent_room:
                panel.sent_room = panel.room
                panel.owner.send(frames.PanelResize(panel.id, *panel.room))
            if panel.sent_focus != (panel is focused):
                panel.sent_focus = panel is focused
                panel.owner.send(frames.PanelFocus(panel.id, panel.sent_focus))
