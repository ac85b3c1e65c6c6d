"""`MemoryScreen`: a screen of a fixed size that keeps what is drawn on it."""

import asyncio
from collections.abc import Callable, Hashable, Sequence

from urwid.display.common import BaseScreen

from zot_tui.editor.mode import CursorShape
from zot_tui.keys.chords import Keyboard
from zot_tui.signal import Signal
from zot_tui.terminal.frame import ScreenRow
from zot_tui.terminal.input import TerminalEvent
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.theme.detect import TRUE_COLOR, Depth


class MemoryScreen(BaseScreen):
    """A screen in memory. `canvas` is the last canvas drawn, `draws` the number of draws, `sent` the sequences written
    outside of drawing, `left` the rows printed at the end, `mouse` whether mouse events are requested."""

    def __init__(self, columns: int = 80, rows: int = 24, *, depth: Depth = TRUE_COLOR) -> None:
        super().__init__()
        urwid.set_encoding("utf-8")
        self.depth: Depth = depth
        self.title: str | None = None
        self.shape: CursorShape = ""
        self.keyboard: Keyboard | None = None
        self.sequences: dict[Hashable, str] = {}
        self.descriptor: int | None = None
        self.key_kinds = False
        self.size = (columns, rows)
        self.canvas: urwid.Canvas | None = None
        self.draws = 0
        self.sent: list[str] = []
        self.left: list[ScreenRow] = []
        self.mouse = False
        self.drawn: Signal[[]] = Signal()
        self._listener: tuple[Callable[[list[TerminalEvent]], None], Callable[[], None]] | None = None

    def get_cols_rows(self) -> tuple[int, int]:
        return self.size

    def draw_screen(self, size: tuple[int, int], canvas: urwid.Canvas) -> None:
        self.canvas = canvas
        self.draws += 1
        self.drawn.emit()

    def set_mouse_tracking(self, enable: bool = True) -> None:  # noqa: FBT001, FBT002  urwid's
        """Remember the setting."""
        self.mouse = enable

    def listen(
        self,
        loop: asyncio.AbstractEventLoop,
        on_events: Callable[[list[TerminalEvent]], None],
        on_hangup: Callable[[], None],
    ) -> None:
        self._listener = on_events, on_hangup

    def unlisten(self) -> None:
        self._listener = None

    def hear(self, *events: TerminalEvent) -> None:
        """Deliver events that arrive together. RuntimeError if no app is listening."""
        if self._listener is None:
            raise RuntimeError("no app is listening: it is not running, or has given the terminal to another program")
        self._listener[0](list(events))

    def hang_up(self) -> None:
        """Let the terminal go away."""
        if self._listener is not None:
            self._listener[1]()

    def send(self, sequence: str) -> None:
        if self.started:
            self.sent.append(sequence)

    def leave(self, rows: Sequence[ScreenRow]) -> None:
        self.left += [*rows]
