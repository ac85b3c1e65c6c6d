"""`App`: owns the screen, its input and its signals, on a running asyncio loop.

urwid's `MainLoop` would redraw after every callback. Here a key is drawn before anything else runs, all other changes
at most 25 times a second, and nothing while nothing changes.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from zot_tui.keys.key import Key
from zot_tui.lexing_time import LEXING_TIME
from zot_tui.pace import Pace
from zot_tui.terminal.canvas import canvas
from zot_tui.terminal.clipboard import copy
from zot_tui.terminal.input import FocusChange, HeldKey, MouseEvent, Paste, TerminalEvent, TerminalReply
from zot_tui.terminal.screen import AppScreen
from zot_tui.terminal.signals import TerminalSignals
from zot_tui.terminal.terminal import Terminal
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row
from zot_tui.text.width import clip
from zot_tui.theme import Theme, builtin, palette
from zot_tui.widgets.scroll import Scroll
from zot_tui.widgets.target import KeyTarget, key_target
from zot_tui.window import TerminalWindow

if TYPE_CHECKING:
    from zot_tui.image.store import ImageStore


class AppEnd:
    """The end of an app. `signum` is the signal that has asked for it, if any; `disconnected` says whether the terminal
    went away."""

    def __init__(self) -> None:
        self.signum: int | None = None
        self.disconnected = False
        self._reached = asyncio.Event()
        self._failure: BaseException | None = None

    @property
    def reached(self) -> bool:
        return self._reached.is_set()

    @property
    def failed(self) -> bool:
        """Whether an exception has ended it that `wait` has not raised yet."""
        return self._failure is not None

    def reach(self) -> None:
        """End the app. Calling it again is harmless."""
        self._reached.set()

    def fail(self, error: BaseException) -> None:
        """End the app with an exception, unless there is one already."""
        self._failure = self._failure or error
        self._reached.set()

    async def wait(self) -> None:
        """Wait for the end. Raises the exception that caused it, once."""
        await self._reached.wait()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


class App:
    """Shows `root`, a box widget, until `exit`: `async with App(root) as app: await app.wait()`.

    `root` can be set later, before the app is entered. It gets every key and paste: as `KeyTarget`, or as urwid's own
    widgets do. An unused Ctrl+C ends the app, like a signal that asks the process to end; an unused Ctrl+Z suspends
    it. An exception of a widget or of a listener ends the app.

    Leaving the block restores the terminal in every case, before an exception propagates; then the rows of
    `leave_behind` are printed. `end` says what has caused the end. A terminal below `min_size` (columns, rows) shows
    only a note. `images` is the store of the images on the screen, None until `gallery` is called. `held` gets a key
    that is held down or was released, and returns whether it was used; else a held one is pressed.
    """

    def __init__(
        self,
        root: urwid.Widget | None = None,
        *,
        theme: Theme | None = None,
        screen: AppScreen | None = None,
        environment: Mapping[str, str] | None = None,
        min_size: tuple[int, int] = (20, 6),
        held: Callable[[Key, bool], bool] = lambda _key, _released: False,
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self.screen: AppScreen = screen or Terminal(environment=self.environment)
        self.min_size = min_size
        self.window = TerminalWindow(self.screen, self.environment)
        self._held = held
        self.leave_behind: Sequence[Row[Any]] = ()
        self._theme = theme or builtin("dark")
        self._mouse = False
        self.images: ImageStore | None = None
        self.end = AppEnd()
        self.pace = Pace(partial(self._guard, self.draw))
        self._resizing = False
        self._suspensions = 0
        self._root: Any = Scroll(lambda: []) if root is None else root
        self._signals = TerminalSignals(self._guard, self._resized, self._interrupted, self._hide, self._continued)

    # Content

    @property
    def root(self) -> urwid.Widget:
        """The widget that fills the screen; assign another to replace it. Without one the screen is empty."""
        return self._root  # type: ignore[no-any-return]  # Any because urwid's types know no box widgets

    @root.setter
    def root(self, widget: urwid.Widget) -> None:
        self._root = widget
        self.redraw()

    @property
    def _target(self) -> KeyTarget:
        return key_target(self._root, lambda: self.window.size)

    @property
    def theme(self) -> Theme:
        """The current theme; a new one is drawn at once."""
        return self._theme

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._theme = theme
        self.screen.register_palette(palette(theme))
        self._guard(self.refresh)

    @property
    def drawing(self) -> bool:
        """Whether a redraw was requested and has not happened yet."""
        return self.pace.pending or self._resizing

    def gallery(self, *, enabled: bool = True) -> "ImageStore":
        """Return the store of the images on this screen. The first call makes it, and only that one reads `enabled`."""
        if self.images is None:
            from zot_tui.image.store import ImageStore  # noqa: PLC0415  most conversations have no images

            self.images = ImageStore(self.screen, self.environment, lambda: self._theme, enabled=enabled)
        return self.images

    def redraw(self, *, waits: bool = False) -> None:
        """Draw soon: see `Pace`."""
        if self.visible:
            self.pace.request(waits=waits)

    def draw(self) -> None:
        self.pace.due.emit()
        self.pace.cancel()  # afterwards: what has changed for this drawing needs no other
        self._draw()

    def _draw(self) -> None:
        if not self.visible:
            return
        size = self.window.size
        postponed = LEXING_TIME.postponed
        if size[0] < self.min_size[0] or size[1] < self.min_size[1]:
            drawn: urwid.Canvas = canvas([[("muted", clip("too small", size[0]))], *[[]] * (size[1] - 1)], size[0])
        else:
            drawn = self._root.render(size, focus=True)
        try:
            self.screen.draw_screen(size, drawn)
        except OSError:
            self._hung_up()
        self.pace.drawn()
        if LEXING_TIME.postponed != postponed:
            urwid.CanvasCache.clear()  # of every widget that shows code
            self.redraw()

    def after(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after `seconds`; it requests a redraw itself if it changes something visible."""
        return asyncio.get_running_loop().call_later(seconds, self._guard, callback)

    # Life

    async def wait(self) -> None:
        """Wait until the app has ended. Raises what a handler or a widget raised, with the terminal restored."""
        await self.end.wait()

    def exit(self) -> None:
        """End the app: `wait` returns, and nothing is drawn any more."""
        if self.images is not None:
            self.images.close()
        self.end.reach()

    async def __aenter__(self) -> Self:
        self.screen.register_palette(palette(self._theme))
        try:
            if isinstance(self.screen, Terminal):
                self._signals.start(asyncio.get_running_loop())
            self._show()
        except BaseException:
            self._hide()
            self._signals.stop()
            raise
        if self.end.failed:
            self._signals.stop()
            await self.wait()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.exit()
        self._hide()
        self._signals.stop()
        if self.leave_behind and not self.end.disconnected:
            self.screen.leave(canvas(self.leave_behind, self.window.size[0]).drawn)
        if error is None:
            await self.wait()

    # The terminal

    @property
    def mouse(self) -> bool:
        """Whether the app gets clicks and the wheel; the terminal's own selection then needs Shift."""
        return self._mouse

    @mouse.setter
    def mouse(self, enable: bool) -> None:
        self._mouse = enable
        if self.screen.started:
            self.screen.set_mouse_tracking(enable)

    async def copy(self, text: str) -> tuple[str, ...]:
        """Put `text` on the clipboard; return the names of the ways that worked, empty if none did."""
        return await copy(text, self.screen.send, self.environment)

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Give the terminal to another program for the duration of the block, which may await; tasks run on."""
        self._suspensions += 1
        try:
            if self._suspensions == 1:
                self._hide()
            yield
        finally:
            self._suspensions -= 1
            if not self._suspensions and not self.end.reached:
                self._show()

    def suspend(self) -> None:
        """Stop this process and its process group, as Ctrl+Z does, until the shell continues them."""
        self._signals.pause(0)

    def _show(self) -> None:
        self.screen.start()
        self.screen.set_mouse_tracking(self._mouse)
        self.screen.listen(asyncio.get_running_loop(), partial(self._guard, self._handle_events), self._hung_up)
        self._guard(self.refresh)

    def _hide(self) -> None:
        self.pace.cancel()
        self.screen.unlisten()
        if self.images is not None:
            self.images.suspend()
        self.screen.stop()

    @property
    def visible(self) -> bool:
        """Whether it has the terminal: it has begun, not ended, and no other program has it."""
        return self.screen.started and not self.end.reached

    def _hung_up(self) -> None:
        self.end.disconnected = True
        self.exit()

    # Input

    def _guard(self, call: Callable[..., object], *arguments: object) -> None:
        try:
            call(*arguments)
        except BaseException as error:  # noqa: BLE001  raised by `wait`, once the terminal is restored
            self.end.fail(error)
            self._hide()

    def _handle_events(self, events: list[TerminalEvent]) -> None:
        for event in events:
            if self.end.reached:
                return
            match event:
                case Key():
                    self.press(event)
                case HeldKey(key, released):
                    if not self._held(key, released) and not released:
                        self.press(key)
                case Paste(text):
                    self.paste(text)
                case TerminalReply(text):
                    self._handle_reply(text)
                case FocusChange(here):
                    self.window.focus(here)
                case MouseEvent() if hasattr(self._root, "mouse_event"):
                    self._root.mouse_event(self.window.size, *event, focus=True)
        if self.pace.patient:
            self._draw()
        else:
            self.draw()

    def press(self, key: Key) -> None:
        """Handle a key as if it was typed now."""
        if self._target.press(key):
            return
        match str(key):
            case "ctrl+c":
                self._interrupted(signal.SIGINT)
            case "ctrl+z":
                self.suspend()
            case "ctrl+l":
                self.screen.clear()
                if self.images is not None:
                    self.images.resend()

    def paste(self, text: str) -> None:
        """Handle a pasted text as if it was pasted now."""
        self._target.paste(text)

    def _handle_reply(self, reply: str) -> None:
        if self.images is not None:
            self.images.handle_reply(reply)
        self.window.handle_reply(reply)

    # Signals

    def _interrupted(self, number: int) -> None:
        if self._suspensions and number == signal.SIGINT:
            return  # Ctrl+C is meant for the program that has the terminal
        self.end.signum = int(number)
        self.exit()

    def _resized(self) -> None:
        if not self._resizing:
            self._resizing = True
            asyncio.get_running_loop().call_soon(self._guard, self.refresh)

    def refresh(self) -> None:
        """Ask the terminal for its size and redraw everything."""
        self._resizing = False
        self.screen.clear()
        if self.images is not None:
            self.images.renew()
        self.window.measure()
        self.draw()

    def _continued(self) -> None:
        if not self._suspensions and not self.end.reached:
            self._show()
