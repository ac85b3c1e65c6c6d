"""`ScreenPanel`: a panel that an extension draws line by line, over the conversation or beside it."""

from __future__ import annotations

import threading

from zot_ext.answers import Response
from zot_ext.panel import Panel
from zot_ext.protocol.groups.panels import PanelDraw, PanelFocus, PanelKeyResult, PanelMouse, PanelPaste, PanelResize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, TypedDict, TypeVar, Unpack

    from zot_ext.panel import PanelHost
    from zot_ext.protocol.from_host import PanelClose, PanelKey
    from zot_ext.protocol.groups.panels import Line

    Handler = TypeVar("Handler", bound=Callable[..., object])
    Renderer = TypeVar("Renderer", bound=Callable[[], Iterable[Line]])
    PanelFrame = PanelKey | PanelClose | PanelPaste | PanelMouse | PanelFocus | PanelResize
    PanelMode = Literal["overlay", "inline", "replace_editor"]
    Anchor = Literal[
        "center", "top_left", "top_center", "top_right", "left_center", "right_center",
        "bottom_left", "bottom_center", "bottom_right",
    ]  # fmt: skip

    class PanelPlace(TypedDict, total=False):
        """Where a panel is: see `panels.open` in docs/extension-calls.md. Sizes are cells, or `"50%"`."""

        anchor: Anchor
        width: int | str
        height: int | str
        min_width: int
        offset_x: int
        offset_y: int
        row: int | str
        column: int | str
        margin: int
        z: int
        min_terminal_width: int
        min_terminal_height: int

    class PanelOptions(PanelPlace, total=False):
        """The wishes of a panel, beyond its place: see `Extension.panel`."""

        passive: bool
        handles_esc: bool
        handles_ctrl_c: bool
        key_kinds: bool


class ScreenPanel(Panel):
    """A panel with a `mode`, made by `Extension.panel`, in the group `panels2`.

    `on_render` returns the lines, which are text or lists of spans; `width` and `height` are its room then, and
    `cursor` may be set to row and column. The handlers run one after the other, and the panel is drawn again after each
    of them. `on_key` may return False for a key without a use, which may then scroll the conversation.
    """

    group = "panels2"

    def __init__(
        self, id: str, title: str, footer: str, host: PanelHost, mode: PanelMode, options: Mapping[str, object]
    ) -> None:
        super().__init__(id, title, footer, host)
        self.width = self.height = 0
        self.visible = self.focused = False
        self.cursor: tuple[int, int] | None = None
        self._wanted: dict[str, object] = {"mode": mode, **options}
        self._others: dict[str, Callable[..., object]] = {}
        self._tick: tuple[float, Callable[..., object]] | None = None
        self._drawing = threading.RLock()
        self._closed = threading.Event()
        self._ticking = False

    def on_render(self, handler: Renderer) -> Renderer:
        """Register the plain function that returns the lines."""
        self._lines = handler
        return handler

    def on_paste(self, handler: Handler) -> Handler:
        """Register a handler of pasted text. Without one it is typed, a `rune` for each character."""
        return self._on("panel_paste", handler, paste=True)

    def on_mouse(self, handler: Handler) -> Handler:
        """Register a handler of the mouse over the panel. It takes a `PanelMouse`."""
        return self._on("panel_mouse", handler, mouse=True)

    def on_focus(self, handler: Handler) -> Handler:
        """Register a handler that takes whether the panel has the keys now."""
        return self._on("panel_focus", handler)

    def on_resize(self, handler: Handler) -> Handler:
        """Register a handler without arguments for when `width`, `height` or `visible` are different."""
        return self._on("panel_resize", handler)

    def on_tick(self, seconds: float) -> Callable[[Handler], Handler]:
        """Register a handler that runs every so often while the panel is open, in turn with the others."""

        def register(handler: Handler) -> Handler:
            self._tick = seconds, handler
            return handler

        return register

    def _on(self, type: str, handler: Handler, **wanted: bool) -> Handler:
        self._others[type] = handler
        self._wanted |= wanted
        return handler

    def open(self) -> Response:
        """Open the panel, and return the answer for the command that does so. Raises as `show`."""
        self.show()
        return Response("noop")

    def show(self) -> None:
        """Open the panel. Raises `NotGranted`, and `HostError`: `unavailable` where there is no screen, `busy` if too
        many panels are open."""
        if first := not self.is_open:
            self._closed = threading.Event()  # the clock of the last opening may not have seen its end yet
        closed = self._closed
        self.is_open = True  # keys may come before the answer
        try:
            self._use(self._host.call("panels.open", id=self.id, title=self.title, footer=self.footer, **self._wanted))
        except BaseException:
            self.is_open = not first
            raise
        self.refresh()
        if self._tick is not None and first:
            arguments = (closed, *self._tick)
            threading.Thread(target=self._run_ticks, args=arguments, name=f"panel {self.id}", daemon=True).start()

    def change(self, *, hidden: bool | None = None, focus: bool | None = None, **place: Unpack[PanelPlace]) -> None:
        """Hide the panel, give it the keys or take them away, or move it; `title` and `footer` as they are now. Raises
        `HostError`."""
        answer = self._host.call(
            "panels.change", id=self.id, title=self.title, footer=self.footer, hidden=hidden, focus=focus, **place
        )
        self._use(answer)

    def refresh(self) -> None:
        """Draw the panel again; does nothing while it is closed."""
        with self._drawing:  # what was rendered earlier must not be sent later
            if self.is_open and self.width:
                lines = tuple(self._lines() if self._lines else ())
                row, column = self.cursor or (-1, -1)
                self._host.send(PanelDraw(self.id, lines, row, column))

    def close(self) -> None:
        """Close the panel without calling `on_close`; does nothing while it is closed."""
        super().close()
        self._closed.set()

    def closed(self) -> None:
        """Note that the host has closed the panel."""
        super().closed()
        self._closed.set()

    def answer_key(self, seq: int, *, consumed: bool) -> None:
        """Answer a key."""
        if seq:
            self._host.send(PanelKeyResult(self.id, seq, consumed))

    def receive(self, frame: PanelFrame, call: Callable[..., object]) -> None:
        """Run the handler of a frame with `call`, and draw the panel again."""
        if isinstance(frame, PanelResize):
            self._use({"width": frame.width, "height": frame.height, "visible": frame.visible})
        elif isinstance(frame, PanelFocus):
            self.focused = frame.focused
        handler = self._others.get(frame.type)
        if handler is not None:
            given: tuple[object, ...] = (frame,) if isinstance(frame, PanelMouse) else ()
            if isinstance(frame, PanelPaste):
                given = (frame.text,)
            elif isinstance(frame, PanelFocus):
                given = (frame.focused,)
            call(f"panel {self.id!r}, {frame.type}", handler, *given)
        call(f"panel {self.id!r}, render", self.refresh)

    def _use(self, room: dict[str, Any]) -> None:
        self.width, self.height = int(room.get("width", 0)), int(room.get("height", 0))
        self.visible = bool(room.get("visible", True))

    def _run_ticks(self, closed: threading.Event, seconds: float, handler: Callable[..., object]) -> None:
        while not closed.wait(seconds):
            if not self._ticking:  # else the one before still waits or runs
                self._ticking = True
                if not self._host.enqueue(self, handler):
                    return

    def ticked(self, handler: Callable[..., object], call: Callable[..., object]) -> None:
        """Run the handler of `on_tick` with `call`, and draw the panel again."""
        try:
            if self.is_open:
                call(f"panel {self.id!r}, tick", handler)
                call(f"panel {self.id!r}, render", self.refresh)
        finally:
            self._ticking = False
