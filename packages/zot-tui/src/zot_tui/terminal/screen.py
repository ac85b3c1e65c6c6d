"""`AppScreen`: the screen that an `App` draws on, as a protocol without urwid."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

from zot_tui.editor.mode import CursorShape
from zot_tui.keys.chords import Keyboard
from zot_tui.terminal.frame import ScreenRow
from zot_tui.terminal.input import TerminalEvent
from zot_tui.theme.detect import Depth


class AppScreen(Protocol):
    """The screen of an `App`: a `Terminal`, or `zot_tui.testing.MemoryScreen`.

    `title` is the window's title while the screen is on; None leaves it alone. `shape` is the shape of the cursor while
    it is on. `keyboard` is how the terminal reports keys, None until it has answered. `sequences` maps attributes to
    sequences that are written before text with that attribute, every time it is drawn; images are drawn this way. They
    do not move the cursor. `descriptor` is the terminal's file descriptor, None without a terminal. `key_kinds` asks
    the terminal to report keys that are held down and let go; few terminals do.
    """

    title: str | None
    shape: CursorShape
    sequences: dict[Hashable, str]
    descriptor: int | None
    key_kinds: bool

    @property
    def started(self) -> bool: ...
    @property
    def depth(self) -> Depth: ...
    @property
    def keyboard(self) -> Keyboard | None: ...
    def start(self) -> Any: ...
    def stop(self) -> None: ...
    def clear(self) -> None: ...
    def get_cols_rows(self) -> tuple[int, int]: ...
    def draw_screen(self, size: tuple[int, int], canvas: Any) -> None: ...
    def register_palette(self, palette: Any) -> None: ...
    def set_mouse_tracking(self, enable: bool = True) -> None: ...  # noqa: FBT001, FBT002  urwid's

    def listen(
        self,
        loop: asyncio.AbstractEventLoop,
        on_events: Callable[[list[TerminalEvent]], None],
        on_hangup: Callable[[], None],
    ) -> None:
        """Call `on_events` with input that arrives, and `on_hangup` when no more can arrive."""

    def unlisten(self) -> None:
        """Undo `listen`."""

    def send(self, sequence: str) -> None:
        """Write a control sequence at once, outside of drawing; ignored while the screen is off."""

    def leave(self, rows: Sequence[ScreenRow]) -> None:
        """Print rows on the shell's screen, once this screen is off."""
