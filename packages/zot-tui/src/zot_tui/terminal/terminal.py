"""`Terminal`: a real terminal as a screen for urwid, given back as it was found.

It differs from urwid's raw screen in three ways: pastes and replies come whole (see `zot_tui.terminal.input`) and every
key is a key, including Ctrl+C, Ctrl+Z and Ctrl+J; it does not touch signals, which belong to the `App`; and `stop`
never raises and always restores.
"""

import asyncio
import atexit
import contextlib
import errno
import os
import re
import select
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from zot_tui.color import from_rgb, nearest
from zot_tui.editor.mode import Shape
from zot_tui.terminal.frame import Drawn, frame
from zot_tui.terminal.input import Keys, Paste, Reply, Splitter
from zot_tui.terminal.output import TerminalOutput
from zot_tui.terminal.urwid_parts import Screen, escape, urwid
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.width import clip
from zot_tui.theme.detect import TRUE_COLOR, Depth, color_depth
from zot_tui.theme.palette import urwid_color
from zot_tui.widgets.rows import rows_of

if sys.platform != "win32":
    import termios

Event: TypeAlias = str | tuple[str, int, int, int] | Paste | Reply
"""A key as urwid names it, a mouse event, a paste, an answer of the terminal."""

Keyboard: TypeAlias = Literal["legacy", "modify other keys", "kitty"]
"""How a terminal tells of keys: see `zot_tui.keys.chords`."""

TITLE_CELLS = 120

_PALETTE: dict[Depth, int] = {16: 0, 1: 1, 256: 3, TRUE_COLOR: 4}  # which colours of an entry urwid draws with
_READ = 65536
_PIECE = re.compile(rb"\x1b+[^\x1b]*|[^\x1b]{1,256}[\x80-\xbf]{0,3}")
_PUSH_TITLE = "\x1b[22;2t"  # XTWINOPS: the window's title onto the terminal's stack, and back from it
_POP_TITLE = "\x1b[23;2t"
_SHAPES: dict[Shape, str] = {
    "": "\x1b[0 q",
    "block": "\x1b[2 q",
    "underline": "\x1b[4 q",
    "bar": "\x1b[6 q",
}  # DECSCUSR


class Display(Protocol):
    """What an `App` draws on and hears from: a `Terminal`, or `zot_tui.testing.MemoryScreen`.

    `title` is the window's title while it is on; None leaves it alone. `shape` is how its cursor looks then, `keyboard`
    how it tells of keys, None until it has said. `sequences` are what is written before the text that has an attribute,
    as often as that is drawn: images are drawn by it. They move no cursor. `descriptor` is the terminal's, None
    without one.
    """

    title: str | None
    shape: Shape
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
    def draw_screen(self, size: tuple[int, int], canvas: urwid.Canvas) -> None: ...
    def register_palette(self, palette: Any) -> None: ...
    def set_mouse_tracking(self, enable: bool = True) -> None: ...  # noqa: FBT001, FBT002  urwid's

    def listen(
        self, loop: asyncio.AbstractEventLoop, heard: Callable[[list[Event]], None], gone: Callable[[], None]
    ) -> None:
        """Call `heard` with what comes in, `gone` when nothing ever will."""

    def unlisten(self) -> None:
        """Undo `listen`."""

    def send(self, sequence: str) -> None:
        """Write a control sequence past the drawing, at once; nothing while it is off."""

    def leave(self, text: str) -> None:
        """Print `text` where the shell will go on, once it is off."""


class Terminal(Screen):
    """The terminal behind two files, standard input and output if not given.

    `escape_wait` is how long, in seconds, Esc may turn out to be the beginning of a longer sequence, `rest_wait` how
    long the rest of a paste or a reply may take.
    """

    def __init__(
        self,
        source: Any = None,
        sink: Any = None,
        *,
        environment: Mapping[str, str] | None = None,
        escape_wait: float = 0.05,
        rest_wait: float = 2.0,
    ) -> None:
        self._sink = TerminalOutput((sink or sys.stdout).fileno())
        super().__init__(source or sys.stdin, self._sink, bracketed_paste_mode=True, extended_keys=True)
        urwid.set_encoding("utf-8")
        environment = os.environ if environment is None else environment
        self.depth = color_depth(environment)
        self._linux_console = environment.get("TERM", "").startswith("linux")
        self.set_terminal_properties(colors=self.depth)
        self.sequences: dict[Hashable, str] = {}
        self.descriptor: int | None = self._sink.descriptor
        self._waits = {"keys": escape_wait, "paste": rest_wait, "reply": rest_wait}
        self._splitter = Splitter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rest: asyncio.TimerHandle | None = None
        self._title: str | None = None
        self._shape: Shape = ""
        self._ahead = b""
        self._canvas: urwid.Canvas | None = None
        self._rows: Sequence[Drawn] = []
        self._cursor: tuple[int, int] | None = None

    @property
    def reports_focus(self) -> bool:
        """Whether the terminal said that it tells of focus."""
        return self.modes.focus_reporting is True

    @property
    def keyboard(self) -> Keyboard | None:
        """How the terminal tells of keys; None as long as it has not said."""
        return None if self.modes.kitty_keyboard is None else self._keyboard_protocol_enabled or "legacy"

    @property
    def shape(self) -> Shape:
        """How the cursor looks while the screen is on; empty for what the terminal has."""
        return self._shape

    @shape.setter
    def shape(self, shape: Shape) -> None:
        if shape != self._shape and not self._linux_console:  # which would print the last letter
            self._shape = shape
            self.send(_SHAPES[shape])

    @property
    def title(self) -> str | None:
        """The window's title while the screen is on; None leaves it alone. The old one comes back afterwards."""
        return self._title

    @title.setter
    def title(self, text: str | None) -> None:
        if text is not None:
            text = clip(sanitize_line(text), TITLE_CELLS)
        before, self._title = self._title, text
        if not self.started or before == text:
            return
        if before is None:
            self.send(_PUSH_TITLE)
        self.send(_POP_TITLE if text is None else f"\x1b]2;{text}\x1b\\")

    def send(self, sequence: str) -> None:
        """See `Display`."""
        if self.started:
            self.write(sequence)
            self.flush()

    def leave(self, text: str) -> None:
        """See `Display`. Controls are taken out; a terminal that is gone is not told."""
        with contextlib.suppress(OSError):
            self.write(sanitize(text).rstrip("\n") + "\n")
            self.flush()

    def get_cols_rows(self) -> tuple[int, int]:
        """Columns and rows; 80 and 24 of a terminal that does not know."""
        columns, rows = super().get_cols_rows()
        return columns if columns > 0 else 80, rows if rows > 0 else 24

    def resolve_attr(self, attr: Hashable, index: int) -> urwid.AttrSpec:
        """See urwid. Colours of its own that an attribute brings are brought down to what the terminal has."""
        found = super().resolve_attr(attr, index)
        return reduced(found, self.depth) if self.depth != TRUE_COLOR and isinstance(attr, urwid.AttrSpec) else found

    # Drawing

    def draw_screen(self, size: tuple[int, int], canvas: urwid.Canvas) -> None:
        """See urwid, which writes every row that has moved anew."""
        rows = rows_of(canvas)
        self._canvas = canvas  # urwid keeps what is drawn of a widget for as long as someone else does
        style = self._with_sequence if self.sequences else self._attr_to_escape
        drawn = frame(rows, self._rows, style, self._erases)
        cursor = canvas.cursor
        if not drawn and cursor == self._cursor:
            return
        self._rows, self._cursor = rows, cursor
        shown = f"\x1b[0m\x1b[{cursor[1] + 1};{cursor[0] + 1}H{escape.SHOW_CURSOR}" if cursor else "\x1b[0m"
        drawn = f"{escape.HIDE_CURSOR}{drawn}{shown}"
        if self.modes.synchronized_output:
            mode = escape.PrivateMode.SYNCHRONIZED_OUTPUT
            drawn = f"{mode.enable_seq}{drawn}{mode.disable_seq}"
        self.write(drawn)
        self.flush()

    def _with_sequence(self, attribute: Hashable) -> str:
        return str(self._attr_to_escape(attribute)) + self.sequences.get(attribute, "")

    def clear(self) -> None:
        """See urwid."""
        super().clear()
        self._rows = []

    def _erases(self, attribute: Hashable) -> bool:
        """Whether what the terminal erases looks like a blank with this attribute."""
        if not self.back_color_erase:
            return False
        spec = self.resolve_attr(attribute, _PALETTE[self.depth])
        return not (spec.standout or spec.underline or spec.strikethrough)

    # Input

    def listen(
        self, loop: asyncio.AbstractEventLoop, heard: Callable[[list[Event]], None], gone: Callable[[], None]
    ) -> None:
        """See `Display`."""
        self._loop, self._heard, self._gone = loop, heard, gone
        loop.add_reader(self._input(), self._readable)
        if self._ahead:
            ahead, self._ahead = self._ahead, b""
            loop.call_soon(self._received, ahead)

    def unlisten(self) -> None:
        """See `Display`. What was half read is forgotten."""
        if self._loop is not None:
            self._loop.remove_reader(self._input())
        if self._rest is not None:
            self._rest.cancel()
        self._loop = self._rest = None
        self._splitter = Splitter()

    def _input(self) -> int:
        return int(self._term_input_file.fileno())

    def _readable(self) -> None:
        assert self._loop is not None
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        try:
            data = os.read(self._input(), _READ)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""  # EIO: the other side has hung up
        if not data:
            self.unlisten()
            self._gone()
            return
        self._received(data)

    def _received(self, data: bytes) -> None:
        if self._loop is None:
            return
        inputs = self._splitter.feed(data)
        if self._splitter.unfinished:
            self._rest = self._loop.call_later(self._waits[self._splitter.unfinished], self._no_rest)
        self._tell(inputs)

    def _no_rest(self) -> None:
        self._rest = None
        self._tell(self._splitter.flush())

    def _tell(self, inputs: list[Keys | Paste | Reply]) -> None:
        events: list[Event] = []
        for each in inputs:
            if isinstance(each, Keys):
                for piece in _PIECE.findall(each.data):
                    events += self._decoded(piece)
            else:
                events.append(each)
        if events:
            self._heard(events)

    def _decoded(self, piece: bytes) -> list[Event]:
        events: list[Event] = []
        for index, part in enumerate(piece.split(b"\n")):
            if index:
                events.append("ctrl j")  # Enter sends a carriage return, which stays one: see `_start`
            if part:
                found, _ = self.parse_input(None, None, list(part), wait_for_more=False)
                events += [each for each in found if isinstance(each, str) or len(each) == 4]
        return events

    # On and off

    def signal_init(self) -> None:
        """Nothing: the `App` has the signals."""

    def signal_restore(self) -> None:
        """Nothing."""

    def _start(self, *args: Any, **kwargs: Any) -> None:
        if sys.platform == "win32":
            raise OSError(errno.ENOTSUP, "the screen needs a POSIX terminal: run it in WSL")
        descriptor = self._input()
        if not os.isatty(descriptor) or not os.isatty(self._sink.descriptor):
            self._started = False
            raise OSError(errno.ENOTTY, "the screen needs a terminal for its input and its output")
        self._sink.lost = False
        atexit.register(self.stop)
        before = termios.tcgetattr(descriptor)
        self._typed_ahead(descriptor, before)
        super()._start(*args, **kwargs)
        self._old_termios_settings = before
        settings = termios.tcgetattr(descriptor)
        settings[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR | termios.IGNCR)
        settings[3] &= ~(termios.ISIG | termios.IEXTEN)
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        # Asked whether it tells of focus, a multiplexer may not answer and yet tell.
        self.write(escape.PrivateMode.FOCUS_REPORTING.enable_seq)
        if self._shape:
            self.write(_SHAPES[self._shape])
        if self._title is not None:
            self.write(f"{_PUSH_TITLE}\x1b]2;{self._title}\x1b\\")
        self.flush()

    def _typed_ahead(self, descriptor: int, before: list[Any]) -> None:
        """Keep what was typed before we were ready, which urwid would throw away: lines that are not yet whole can be
        read once the terminal does not collect lines any more."""
        settings = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        while select.select([descriptor], [], [], 0)[0]:
            data = os.read(descriptor, _READ)
            if not data:
                return
            self._ahead += data.replace(b"\n", b"\r")  # Enter was made a line feed

    def _stop(self) -> None:
        atexit.unregister(self.stop)
        with contextlib.suppress(OSError):
            if self._title is not None:
                self.write(_POP_TITLE)
            if self._shape:
                self.write(_SHAPES[""])
            self.write(escape.PrivateMode.FOCUS_REPORTING.disable_seq)
            self._await_answers()
        self._sink.lost = True  # from here on errors are not told: what can be restored is
        with contextlib.suppress(OSError, termios.error):
            super()._stop()

    def _await_answers(self, limit: float = 0.1) -> None:
        """Swallow the answers to what was asked at the start, so that they are not typed into a shell."""
        descriptor = self._input()
        while self._keyboard_query_pending and select.select([descriptor], [], [], limit)[0]:
            data = os.read(descriptor, _READ)
            if not data:
                return
            self._tell_nobody(data)

    def _tell_nobody(self, data: bytes) -> None:
        for each in self._splitter.feed(data):
            if isinstance(each, Keys):
                self.parse_input(None, None, list(each.data), wait_for_more=False)


def reduced(spec: urwid.AttrSpec, depth: Depth) -> urwid.AttrSpec:
    """The same attributes with colours that a terminal of `depth` colours has; without any for 1."""
    settings = [name for name in spec.foreground.split(",")[1:] if name]
    channels = spec.get_rgb_values()
    colors = []
    for basic, indexed, values in (
        (spec.foreground_basic, spec.foreground_high, channels[:3]),
        (spec.background_basic, spec.background_high, channels[3:]),
    ):
        if depth == 1:
            colors.append("default")
        elif basic or values[0] is None or (indexed and depth == 256):
            colors.append("")
        else:
            color = from_rgb(*values)  # type: ignore[arg-type]  # all three are numbers if the first is
            colors.append(urwid_color(nearest(color, 256 if depth == 256 else 16)))
    foreground = colors[0] or spec.foreground.split(",")[0]
    return urwid.AttrSpec(",".join([foreground, *settings]), colors[1] or spec.background, colors=max(depth, 16))
