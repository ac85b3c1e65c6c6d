"""`PtyScreen`: a command in a real pseudo-terminal, and the screen that a user would see, by `pyte`."""

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import pyte
from forked import start
from waiting import PATIENCE

from zot_tui.widgets.dialogs.stack import WAITS

if sys.platform != "win32":
    import fcntl
    import termios

# Clears the screen in a shell, also where the program `clear` is not installed.
CLEAR = r"printf '\033[2J\033[H'"

# Answers of kitty 0.40, which has its keyboard protocol and synchronized output.
KITTY: Mapping[bytes, bytes] = {
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b[?1007$p": b"\x1b[?1007;0$y",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?1004$p": b"\x1b[?1004;2$y",
    b"\x1b[c": b"\x1b[?62;52;c",
    b"\x1b[>c": b"\x1b[>1;4000;40c",
}

_WHOLE_FRAMES = {b"\x1b[?2026$p": KITTY[b"\x1b[?2026$p"]}
"""The kernel hands a drawing of the screen on in pieces, which look like a screen that was never drawn."""

# Sequences that pyte misreads (private SGR, the keyboard protocols), prints (strings of APC and DCS) or takes for a
# title (any OSC).
_UNKNOWN = re.compile(
    rb"\x1b\[[<=>?][0-9;:]*[muc]|\x1b\[[0-9;]*t|\x1b\[\?[0-9;]*\$p|\x1b\[c"
    rb"|\x1b[_P^X][^\x1b]*(?:\x1b[^\\][^\x1b]*)*\x1b\\|\x1b\](?!2;)[^\x07\x1b]*(?:\x07|\x1b\\)"
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[_P^X\]](?:[^\x1b\x07]|\x1b(?!\\))*)?\Z")
_ALTERNATE = 1049
_BEGINS, _ENDS = b"\x1b[?2026h", b"\x1b[?2026l"


class _Screen(pyte.Screen):
    """pyte's screen with an alternate screen."""

    main: tuple[dict[int, Any], int, int] | None = None
    """The rows and the cursor of the main screen while the alternate screen is shown."""

    def set_mode(self, *modes: int, **arguments: Any) -> None:
        if arguments.get("private") and _ALTERNATE in modes and self.main is None:
            rows = {number: dict(row) for number, row in self.buffer.items()}
            self.main = (rows, self.cursor.x, self.cursor.y)
            self.erase_in_display(2)
        super().set_mode(*modes, **arguments)

    def reset_mode(self, *modes: int, **arguments: Any) -> None:
        super().reset_mode(*modes, **arguments)
        if arguments.get("private") and _ALTERNATE in modes and self.main is not None:
            rows, x, y = self.main
            self.main = None
            self.erase_in_display(2)
            for number, row in rows.items():
                self.buffer[number].update(row)
            self.cursor.x, self.cursor.y = x, min(y, self.lines - 1)


class PtyScreen:
    """Runs `command` in a terminal of `columns` by `rows` cells; leave the `with` block to end it.

    `answers` maps further queries of the command to replies; `new` is that of `forked.start`. The command is killed
    `end_seconds` after hanging up. All output is also kept in `received`. Output is read only during calls, so a
    command that writes much waits for the next `wait_for`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
        cwd: str | None = None,
        answers: Mapping[bytes, bytes] | None = None,
        new: bool = False,
        end_seconds: float = PATIENCE,
    ) -> None:
        self.received = bytearray()
        self._end_seconds = end_seconds
        self._answers = {**_WHOLE_FRAMES, **(answers or {})}
        self._screen = _pyte_screen(columns, rows)
        self._text: str | None = ""
        """What is on the screen, once it was asked for: pyte takes a millisecond to say it."""
        self._kept = b""
        self._asked = b""
        self._eof = False
        self.descriptor, child = os.openpty()
        self._set_size(columns, rows)
        self.at_start = termios.tcgetattr(self.descriptor)
        try:
            self.process = start(
                command, new=new, terminal=True, stdin=child, stdout=child, stderr=child, cwd=cwd or ".",
                env={**os.environ, "TERM": "xterm-256color"} if environment is None else environment,
            )  # fmt: skip
        finally:
            os.close(child)
        os.set_blocking(self.descriptor, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up, and kill the processes that are left."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
        try:
            self.process.wait(self._end_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    # In

    def type(self, text: str | bytes) -> None:
        """Send `text` as it is, reading meanwhile: Enter is `\\r`, Esc is `\\x1b`."""
        data = memoryview(text.encode() if isinstance(text, str) else text)
        while data:
            readable, writable, _ = select.select([self.descriptor], [self.descriptor], [], PATIENCE)
            if readable:
                self.read(0)
            if writable:
                data = data[os.write(self.descriptor, data) :]
            elif not readable:
                raise TimeoutError(f"the command has not read its input for {PATIENCE:g} s")

    def paste(self, text: str) -> None:
        """Paste `text`, like a terminal with bracketed paste."""
        converted = text.replace("\n", "\r")
        self.type(f"\x1b[200~{converted}\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        """Resize the window, and signal it to the command."""
        self._screen.resize(rows, columns)
        self._text = None
        self._set_size(columns, rows)

    def signal(self, number: int) -> None:
        """Send a signal to the command alone."""
        self.process.send_signal(number)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # Out

    def screen(self) -> str:
        """Return the text on the screen, without trailing blanks and empty rows."""
        if self._text is None:
            self._text = "\n".join(row.rstrip() for row in self._screen.display).rstrip("\n")
        return self._text

    def style_at(self, column: int, row: int) -> Any:
        """Return pyte's character in one cell: `data`, `fg`, `bg`, `bold`, `reverse` and so on."""
        return self._screen.buffer[row][column]

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row of the cursor, None if it is hidden."""
        cursor = self._screen.cursor
        return None if cursor.hidden else (cursor.x, cursor.y)

    @property
    def title(self) -> str:
        """The window's title."""
        return str(self._screen.title)

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return self._screen.main is not None

    @property
    def settings(self) -> list[Any]:
        """The current settings of the terminal (termios); `at_start` has those before the command ran."""
        return termios.tcgetattr(self.descriptor)

    def read(self, wait: float) -> bool:
        """Read the available output, waiting at most `wait` seconds for it. Returns whether there was any."""
        if self._eof or not select.select([self.descriptor], [], [], wait)[0]:
            return False
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return False
        except OSError:  # EIO: all ends of the command are closed
            data = b""
        if not data:
            self._eof = True
            return False
        self.received += data
        self._answer(data)
        self._show(data)
        return True

    def wait_for(self, text: str, limit: float = PATIENCE) -> None:
        """Wait until `text` is on the screen, and a question that is there can be answered. TimeoutError, with the
        screen, after `limit` seconds or at the end."""
        self.wait_until(lambda: text in (screen := self.screen()) and WAITS not in screen, limit, repr(text))

    def wait_done(self, text: str) -> None:
        """Wait until a text is on the screen and nothing runs that could be stopped."""
        self.wait_until(lambda: text in self.screen() and "esc to stop" not in self.screen(), what=repr(text))

    def wait_until(self, holds: Callable[[], bool], limit: float = PATIENCE, what: str = "it") -> None:
        """Wait until `holds()`, called after every piece of output; TimeoutError, with the screen."""
        end = time.monotonic() + limit
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or (not self.read(min(left, 0.1)) and self._eof and not holds()):
                raise TimeoutError(f"{what} was not seen; the screen:\n{self.screen()}")

    def wait_end(self, limit: float = PATIENCE) -> int:
        """Wait until the command has ended and its output is read; return its exit code, negative for a signal."""
        end = time.monotonic() + limit
        while not self._eof and time.monotonic() < end:
            if not self.read(0.1) and self.process.poll() is not None:
                break
        while self.read(0):
            pass
        return self.process.wait(max(0.1, end - time.monotonic()))

    def _answer(self, data: bytes) -> None:
        self._asked += data
        found = [(self._asked.find(query), query) for query in self._answers]
        while any(place >= 0 for place, _ in found):
            place, query = min(each for each in found if each[0] >= 0)
            self._asked = self._asked[place + len(query) :]
            os.write(self.descriptor, self._answers[query])
            found = [(self._asked.find(query), query) for query in self._answers]
        self._asked = self._asked[-32:]

    def _show(self, data: bytes) -> None:
        data = _UNKNOWN.sub(b"", self._kept + data)
        # An image is one long string without further escapes.
        unfinished = _UNFINISHED.search(data, max(0, min(len(data) - 4096, data.rfind(b"\x1b"))))
        cut = unfinished.start() if unfinished else len(data)
        begun = data.rfind(_BEGINS)
        if begun >= 0 and data.find(_ENDS, begun) < 0:  # a frame is shown when it is whole
            cut = min(cut, begun)
        self._kept = data[cut:]
        self._screen.stream.feed(data[:cut])
        self._text = None


def _pyte_screen(columns: int, rows: int) -> Any:
    """Return a screen with its stream of bytes."""
    screen: Any = _Screen(columns, rows)
    screen.stream = pyte.ByteStream(screen)
    return screen
