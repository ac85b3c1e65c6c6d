"""`TerminalWindow`: the window that a terminal is in: its size, its focus and its background."""

import asyncio
import contextlib
from collections.abc import Mapping

from zot_tui.signal import Signal
from zot_tui.terminal.notification import NotificationWay, notification
from zot_tui.terminal.screen import AppScreen
from zot_tui.theme.detect import QUERY_BACKGROUND, Background, background, reply_color


class TerminalWindow:
    """`focus_changed` says whether the window has the focus, `resized` the columns and rows of another size."""

    def __init__(self, screen: AppScreen, environment: Mapping[str, str]) -> None:
        self.focus_changed: Signal[[bool]] = Signal()
        self.resized: Signal[[int, int]] = Signal()
        self._screen, self._environment = screen, environment
        self._focused: bool | None = None
        self._size: tuple[int, int] | None = None
        self._background_queries: list[asyncio.Future[str]] = []

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        if self._size is None:
            self._size = self._screen.get_cols_rows()
        return self._size

    def measure(self) -> None:
        """Ask the terminal for the size again."""
        before, self._size = self._size, None
        if before not in (None, self.size):
            self.resized.emit(*self.size)

    def focus(self, here: bool) -> None:  # noqa: FBT001  what `focus_changed` emits
        """Note that the window has got the focus or lost it."""
        self._focused = here
        self.focus_changed.emit(here)

    def notify(self, text: str, way: NotificationWay = "desktop") -> None:
        """Draw attention to the window while it has lost the focus; do nothing where that is not known."""
        if self._focused is False and (sequence := notification(text, way, self._environment)):
            self._screen.send(sequence)

    async def background(self, limit: float = 0.2) -> Background | None:
        """Ask whether the terminal is dark or light; None without an answer within `limit` seconds. Keys still work."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._background_queries.append(answer)
        self._screen.send(QUERY_BACKGROUND)
        reply = ""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                reply = await answer
        if answer in self._background_queries:
            self._background_queries.remove(answer)
        return background(reply, self._environment)

    def handle_reply(self, reply: str) -> None:
        """Take what the terminal has answered, if it was asked for the background."""
        if reply_color(reply) is not None and self._background_queries:
            answer = self._background_queries.pop(0)
            if not answer.done():
                answer.set_result(reply)
