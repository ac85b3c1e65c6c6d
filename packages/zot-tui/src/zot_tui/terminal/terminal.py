"""`Terminal`: a real terminal as an urwid screen, restored afterwards to the state it was found in.

It differs from urwid's raw screen in three ways. Pastes and replies arrive whole (see `zot_tui.terminal.input`), and
every key is a key, including Ctrl+C, Ctrl+Z and Ctrl+J. It does not touch signals, which belong to the `App`. `stop`
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
from functools import lru_cache, partial
from typing import Any, NamedTuple

from zot_tui.color import from_rgb, nearest
from zot_tui.editor.mode import CursorShape
from zot_tui.keys.chords import Keyboard
from zot_tui.keys.key import RUNE, Key, is_character, parse_key
from zot_tui.terminal import wheel
from zot_tui.terminal.canvas import rows_of
from zot_tui.terminal.frame import ScreenRow, frame, written
from zot_tui.terminal.input import HeldKey, InputSplitter, KeyBytes, TerminalEvent, TerminalInput, parse_event
from zot_tui.terminal.key_report import KINDS_OFF, KINDS_ON, RELEASES_ON, read_report
from zot_tui.terminal.output import TerminalOutput
from zot_tui.terminal.reader import READ, TerminalReader
from zot_tui.terminal.urwid_parts import Screen, escape, urwid
from zot_tui.text.runs import Mark, Over
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import clip
from zot_tui.theme.detect import TRUE_COLOR, Depth, color_depth
from zot_tui.theme.palette import in_256, read_on, urwid_color

if sys.platform != "win32":
    import termios

TITLE_CELLS = 120

_PALETTE: dict[Depth, int] = {16: 0, 1: 1, 256: 3, TRUE_COLOR: 4}  # index of the palette entry that urwid draws with
# What urwid parses at once; it copies the rest of a piece for each key. The end of a piece does not cut a character.
_PIECE = re.compile(rb"(?:\x1b{1,64}[^\x1b]{0,256}|[^\x1b]{1,256})[\x80-\xbf]{0,3}")
_LINE_FEED = parse_key("ctrl+j")  # Enter sends a carriage return, which `_start` leaves as it is
_PUSH_TITLE = "\x1b[22;2t"  # XTWINOPS: push the window's title on the terminal's stack, and pop it
_POP_TITLE = "\x1b[23;2t"
_SHAPES: dict[CursorShape, str] = {
    "": "\x1b[0 q",
    "block": "\x1b[2 q",
    "underline": "\x1b[4 q",
    "bar": "\x1b[6 q",
}  # DECSCUSR


class _Drawn(NamedTuple):
    """The rows on the terminal. urwid's cache keeps a canvas only as long as someone else does."""

    canvas: urwid.Canvas | None = None
    rows: Sequence[ScreenRow] = ()
    cursor: tuple[int, int] | None = None


class Terminal(Screen):
    """The terminal behind two files, by default standard input and output.

    `escape_wait` is how long, in seconds, an Esc may turn out to be the beginning of a longer sequence; `rest_wait` is
    how long to wait for the rest of a paste or a reply, `wheel_wait` for that of a step of the wheel.
    """

    def __init__(
        self,
        source: Any = None,
        output: Any = None,
        *,
        environment: Mapping[str, str] | None = None,
        escape_wait: float = 0.05,
        rest_wait: float = 2.0,
        wheel_wait: float = wheel.PAUSE,
    ) -> None:
        self._output = TerminalOutput((output or sys.stdout).fileno())
        super().__init__(source or sys.stdin, self._output, bracketed_paste_mode=True, extended_keys=True)
        urwid.set_encoding("utf-8")
        environment = os.environ if environment is None else environment
        self.depth = color_depth(environment)
        self.set_terminal_properties(colors=self.depth)
        self.sequences: dict[Hashable, str] = {}
        self.descriptor: int | None = self._output.descriptor
        self._waits = {"keys": escape_wait, "paste": rest_wait, "reply": rest_wait, "wheel": wheel_wait}
        self._reader: TerminalReader | None = None
        self._title: str | None = None
        # None on the console of Linux, which would print the last letter of the sequence.
        self._shape: CursorShape | None = None if environment.get("TERM", "").startswith("linux") else ""
        self._key_kinds = False
        self._wheel_mode: int | None = None  # what the terminal has said of the mode of `zot_tui.terminal.wheel`
        self._typed_ahead = b""
        self._drawn = _Drawn()

    @property
    def keyboard(self) -> Keyboard | None:
        """How the terminal reports keys; None until it has answered."""
        return None if self.modes.kitty_keyboard is None else self._keyboard_protocol_enabled or "legacy"

    @property
    def shape(self) -> CursorShape:
        """The shape of the cursor while the screen is on; empty for the terminal's own."""
        return self._shape or ""

    @shape.setter
    def shape(self, shape: CursorShape) -> None:
        if self._shape is not None and shape != self._shape:
            self._shape = shape
            self.send(_SHAPES[shape])

    @property
    def key_kinds(self) -> bool:
        """See `AppScreen`. Terminals with kitty's keyboard protocol report kinds."""
        return self._key_kinds

    @key_kinds.setter
    def key_kinds(self, wanted: bool) -> None:
        if wanted != self._key_kinds:
            self._key_kinds = wanted
            if self._keyboard_protocol_enabled == "kitty":
                self.send(KINDS_ON if wanted else RELEASES_ON if self._wheel_is_arrows else KINDS_OFF)

    def _enable_keyboard_protocol(self) -> None:
        before = self._keyboard_protocol_enabled
        super()._enable_keyboard_protocol()
        if before is None and self._hears_releases:
            self.send(KINDS_ON if self._key_kinds else RELEASES_ON)

    @property
    def _hears_releases(self) -> bool:
        """Whether the terminal reports when keys are let go."""
        return self._keyboard_protocol_enabled == "kitty" and (self._key_kinds or self._wheel_is_arrows)

    @property
    def _wheel_is_arrows(self) -> bool:
        """Whether only the moment when they are let go tells arrow keys from the wheel."""
        return self._wheel_mode == wheel.UNKNOWN and self._keyboard_protocol_enabled == "kitty"

    def _apply_terminal_reports(self, decoded_codes: Any) -> Any:
        for code in decoded_codes:
            if code[:2] == ("private mode report", wheel.MODE):
                self._wheel_mode = code[2]
        return super()._apply_terminal_reports(decoded_codes)

    @property
    def title(self) -> str | None:
        """The window's title while the screen is on; None leaves it alone. The old title is restored afterwards."""
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
        if self.started:
            self.write(sequence)
            self.flush()

    def leave(self, rows: Sequence[ScreenRow]) -> None:
        """See `AppScreen`. Control characters are replaced; a lost terminal is ignored. Blanks at the end of a row are
        left out, unless the theme has a background of its own."""
        paper = self.resolve_attr(None, _PALETTE[self.depth]).background
        with contextlib.suppress(OSError):
            for row in rows:
                blank = paper == "default" and row[-1][0] is None and not row[-1][2].strip()
                shown = written(row[:-1] if blank else row, self._attr_to_escape, self._erases)
                self.write("".join([*shown, "\x1b[0m\n"]))
            self.flush()

    def get_cols_rows(self) -> tuple[int, int]:
        """Columns and rows; 80 and 24 if the terminal does not know."""
        columns, rows = super().get_cols_rows()
        return columns if columns > 0 else 80, rows if rows > 0 else 24

    def resolve_attr(self, attr: Hashable, index: int) -> urwid.AttrSpec:
        """See urwid. An attribute's own colours are reduced to colours of the terminal. Without colours for bands, the
        letters on a band, but not marks, have its colour; with few of them, a color that can be read on it."""
        over = isinstance(attr, Over)
        if isinstance(attr, Over):
            attr = attr.band if self.depth <= 16 and not isinstance(attr, Mark) else urwid.LayeredAttr.layer(*attr)
        found = super().resolve_attr(attr, index)
        if over and self.depth == 256:
            return on_band(found)
        return reduced(found, self.depth) if self.depth != TRUE_COLOR and isinstance(attr, urwid.AttrSpec) else found

    def register_palette(self, palette: Any) -> None:
        """See urwid. A terminal of 256 colours gets the nearest of them."""
        super().register_palette([*map(in_256, palette)] if self.depth == 256 else palette)

    # Drawing

    def draw_screen(self, size: tuple[int, int], canvas: urwid.Canvas) -> None:
        """See urwid, which would rewrite every row that has moved."""
        rows = rows_of(canvas)
        style = self._with_sequence if self.sequences else self._attr_to_escape
        drawn = frame(rows, self._drawn.rows, style, self._erases)
        cursor = canvas.cursor
        if not drawn and cursor == self._drawn.cursor:
            self._drawn = self._drawn._replace(canvas=canvas)
            return
        self._drawn = _Drawn(canvas, rows, cursor)
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
        super().clear()
        self._drawn = _Drawn()

    def _erases(self, attribute: Hashable) -> bool:
        """Whether an erased cell looks like a blank with this attribute."""
        if not self.back_color_erase:
            return False
        spec = self.resolve_attr(attribute, _PALETTE[self.depth])
        return not (spec.standout or spec.underline or spec.strikethrough)

    # Input

    def listen(
        self,
        loop: asyncio.AbstractEventLoop,
        on_events: Callable[[list[TerminalEvent]], None],
        on_hangup: Callable[[], None],
    ) -> None:
        def hung_up() -> None:
            self.unlisten()
            on_hangup()

        read = partial(self._dispatch, on_events, wheel.ArrowTaps())
        self._reader = reader = TerminalReader(loop, self._input(), self._waits, read, hung_up)
        if self._typed_ahead:
            ahead, self._typed_ahead = self._typed_ahead, b""
            loop.call_soon(reader.received, ahead)

    def unlisten(self) -> None:
        """See `AppScreen`. Incomplete input is dropped."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _input(self) -> int:
        return int(self._term_input_file.fileno())

    def _dispatch(
        self, on_events: Callable[[list[TerminalEvent]], None], taps: wheel.ArrowTaps, inputs: list[TerminalInput]
    ) -> str:
        events: list[TerminalEvent] = []
        for each in inputs:
            if not isinstance(each, KeyBytes):
                events.append(each)
            elif each.data.startswith(b"\x1b[") and (report := read_report(each.data)) is not None:
                typed = [Key(RUNE, (), letter) for letter in report.text if is_character(letter)]
                keys = typed or [event for event in self._parsed(each.data) if isinstance(event, Key)]
                held = report.kind != "press"
                events += [HeldKey(key, report.kind == "release") if held else key for key in keys]
            else:
                for piece in _PIECE.findall(each.data):
                    events += self._parsed(piece)
        if self._wheel_is_arrows and not self._mouse_tracking_enabled:  # else the wheel comes as what it is
            events = taps.feed(events) if inputs else taps.flush()
        if events:
            on_events(events)
        return "wheel" if taps.waiting else ""

    def _parsed(self, piece: bytes) -> list[TerminalEvent]:
        events: list[TerminalEvent] = []
        for index, part in enumerate(piece.split(b"\n")):
            if index:
                events.append(_LINE_FEED)
            if part:
                found, _ = self.parse_input(None, None, list(part), wait_for_more=False)
                events += filter(None, map(parse_event, found))
        return events

    # On and off

    def signal_init(self) -> None:
        """Do nothing: the `App` handles signals."""

    def signal_restore(self) -> None:
        """Do nothing."""

    def _start(self, *args: Any, **kwargs: Any) -> None:
        if sys.platform == "win32":
            raise OSError(errno.ENOTSUP, "the screen needs a POSIX terminal: run it in WSL")
        descriptor = self._input()
        if not os.isatty(descriptor) or not os.isatty(self._output.descriptor):
            self._started = False
            raise OSError(errno.ENOTTY, "the screen needs a terminal for its input and its output")
        self._output.lost = False
        atexit.register(self.stop)
        before = termios.tcgetattr(descriptor)
        self._read_typed_ahead(descriptor, before)
        # Asked first, so that the answer is there when the terminal has said which protocol of keys it has.
        self.write((wheel.QUERY if self._wheel_mode is None else "") + wheel.OFF)
        super()._start(*args, **kwargs)
        self._old_termios_settings = before
        settings = termios.tcgetattr(descriptor)
        settings[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR | termios.IGNCR)
        settings[3] &= ~(termios.ISIG | termios.IEXTEN)
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        # A multiplexer may not answer the query for focus reporting, and report it nevertheless.
        self.write(escape.PrivateMode.FOCUS_REPORTING.enable_seq)
        if self._shape:
            self.write(_SHAPES[self._shape])
        if self._title is not None:
            self.write(f"{_PUSH_TITLE}\x1b]2;{self._title}\x1b\\")
        self.flush()

    def _read_typed_ahead(self, descriptor: int, before: list[Any]) -> None:
        """Keep what was typed before the start, which urwid would discard. Incomplete lines can be read once the
        terminal no longer collects lines."""
        settings = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        while select.select([descriptor], [], [], 0)[0]:
            data = os.read(descriptor, READ)
            if not data:
                return
            self._typed_ahead += data.replace(b"\n", b"\r")  # the terminal turned Enter into a line feed

    def _stop(self) -> None:
        atexit.unregister(self.stop)
        with contextlib.suppress(OSError):
            if self._title is not None:
                self.write(_POP_TITLE)
            if self._shape:
                self.write(_SHAPES[""])
            self.write(escape.PrivateMode.FOCUS_REPORTING.disable_seq)
            if self._hears_releases:
                # The key that ends the screen is let go about now, which the shell must not read as text.
                self.write(KINDS_OFF + escape.REPORT_DEVICE_ATTRIBUTES)
                self._keyboard_query_pending = True
            self.flush()
            self._await_answers(self._waits["reply"] if self._hears_releases else 0.1)
            if self._wheel_mode not in (wheel.UNKNOWN, wheel.RESET):  # terminals that do not answer have it on
                self.write(wheel.ON)
        self._output.lost = True  # from now on errors are ignored, so that as much as possible is restored
        with contextlib.suppress(OSError, termios.error):
            super()._stop()

    def _await_answers(self, limit: float) -> None:
        """Read the answers to the last queries and what comes before them, so that it does not end up in the shell."""
        descriptor, splitter = self._input(), InputSplitter()
        while self._keyboard_query_pending and select.select([descriptor], [], [], limit)[0]:
            data = os.read(descriptor, READ)
            if not data:
                return
            for each in splitter.feed(data):
                if isinstance(each, KeyBytes):
                    self.parse_input(None, None, list(each.data), wait_for_more=False)


@lru_cache(maxsize=512)
def on_band(spec: urwid.AttrSpec) -> urwid.AttrSpec:
    """Return the attributes of text on a band with one of 256 colours that can be read there."""
    *ink, red, green, blue = spec.get_rgb_values()
    if None in (*ink, red, green, blue):
        return spec
    color = read_on(from_rgb(*ink), from_rgb(red, green, blue))  # type: ignore[arg-type]  # all are numbers
    settings = [name for name in spec.foreground.split(",")[1:] if name]
    return urwid.AttrSpec(",".join([urwid_color(color), *settings]), spec.background, colors=256)


def reduced(spec: urwid.AttrSpec, depth: Depth) -> urwid.AttrSpec:
    """Return the same attributes with the colours of a terminal of `depth` colours; no colours if `depth` is 1."""
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
            color = from_rgb(*values)  # type: ignore[arg-type]  # all three are numbers if the first one is
            colors.append(urwid_color(nearest(color, 256 if depth == 256 else 16)))
    foreground = colors[0] or spec.foreground.split(",")[0]
    return urwid.AttrSpec(",".join([foreground, *settings]), colors[1] or spec.background, colors=max(depth, 16))
