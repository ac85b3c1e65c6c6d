"""`AppScreen`: the screen that an `App` draws on, as a protocol without urwid."""

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeAlias

from zot_tui.editor.mode import CursorShape
from zot_tui.keys.chords import Keyboard
from zot_tui.terminal.input import Paste, TerminalReply
from zot_tui.theme.detect import Depth

TerminalEvent: TypeAlias = str | tuple[str, int, int, int] | Paste | TerminalReply
"""A key as urwid names it, a mouse event, a paste, an answer of the terminal."""


class AppScreen(Protocol):
    """What an `App` draws on and hears from: a `Terminal`, or `zot_tui.testing.MemoryScreen`.

    `title` is the window's title while it is on; None leaves it alone. `shape` is how its cursor looks then, `keyboard`
    how it tells of keys, None until it has said. `sequences` are what is written before the text that has an attribute,
    as often as that is drawn: images are drawn by it. They move no cursor. `descriptor` is the terminal's, None
    without one.
    """

    title: str | None
    shape: CursorShape
    sequences: dict[Hashable, str]
    descriptor: int | None

    @property
    def started(self) -> bool: ...
    @property
    def depth(self) -> Depth: ...
    @property
    def reports_focus(self) -> bool: ...
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
        """Call `on_events` with what comes in, `on_hangup` when nothing ever will."""

    def unlisten(self) -> None:
        """Undo `listen`."""

    def send(self, sequence: str) -> None:
        """Write a control sequence past the drawing, at once; nothing while it is off."""

    def leave(self, text: str) -> None:
        """Print `text` where the shell will go on, once it is off."""
