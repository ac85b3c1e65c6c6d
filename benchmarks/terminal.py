"""A pseudo-terminal for benchmarks: it answers what a terminal is asked, and says when something was written to it.

It draws nothing: what a program writes is looked for as bytes, so that what is measured is the program.
"""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

ANSWERS = {
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?1004$p": b"\x1b[?1004;2$y",
    b"\x1b]11;?\x1b\\": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b[c": b"\x1b[?62;22c",
}
"""What a terminal with kitty's keyboard protocol and synchronized output says."""

_KEPT = 1 << 16
_TICKS = os.sysconf("SC_CLK_TCK")


class Terminal:
    """Runs `command` in a terminal of 120 by 40 cells; leave the `with` block to end it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], columns: int = 120, rows: int = 40):
        self.descriptor, child = os.openpty()
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        variables = {**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, env=variables, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(child)
        os.set_blocking(self.descriptor, False)
        self.written = 0
        """Bytes that the program has written."""
        self._tail = b""
        self._asked = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.send_signal(signal.SIGTERM)
        limit = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < limit:
            self.read(0.05)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.descriptor)

    def read(self, wait: float) -> bytes:
        """What was written, waiting at most so many seconds for it; empty if nothing, or at the end."""
        if not select.select([self.descriptor], [], [], max(wait, 0))[0]:
            return b""
        try:
            data = os.read(self.descriptor, 1 << 16)
        except (BlockingIOError, OSError):  # EIO: the program has ended
            return b""
        self.written += len(data)
        self._asked += data
        for query, answer in ANSWERS.items():
            if query in self._asked:
                self._asked = self._asked.replace(query, b"")
                os.write(self.descriptor, answer)
        self._asked = self._asked[-32:]
        return data

    def type(self, text: str) -> None:
        """Send keys."""
        os.write(self.descriptor, text.encode())

    def wait_for(self, text: str, limit: float = 60.0) -> float:
        """The time (`time.monotonic`) at which `text` was written from now on, or was in what was read last.

        TimeoutError after `limit` seconds, with the end of what was written.
        """
        return self.wait_for_match(re.escape(text), limit)

    def wait_for_match(self, pattern: str, limit: float = 60.0) -> float:
        """The same for a regular expression."""
        wanted = re.compile(pattern.encode())
        end = time.monotonic() + limit
        while (match := wanted.search(self._tail)) is None:
            if time.monotonic() > end or (self.process.poll() is not None and not self._tail):
                raise TimeoutError(f"{pattern!r} was not written; the end of what was: {self._tail[-2000:]!r}")
            self._tail = self._tail[-_KEPT:] + self.read(0.05)
        found = time.monotonic()
        self._tail = self._tail[match.end() :]
        return found

    def forget(self) -> None:
        """Do not look at what has been written so far."""
        while self.read(0):
            pass
        self._tail = b""

    def watch(self, seconds: float) -> None:
        """Take in what is written for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(min(left, 0.1))

    def cpu(self) -> float:
        """Seconds of user and system time that the program has used so far."""
        with open(f"/proc/{self.process.pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self, name: str = "VmRSS") -> float:
        """Megabytes that the program has in memory; `VmHWM` for the most it had."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith(name))
        return int(line.split()[1]) / 1024
