"""`StandardError`: what the program of a server writes there, for the log, and its end for a line about a failure."""

from collections import deque
from collections.abc import Callable

LINE = 1000
"""The most characters of a line that is kept."""
LINES = 3
"""The last lines that are kept."""
_SHOWN = 400


class StandardError:
    """Splits bytes into lines, passes each to `log`, and keeps the last ones."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._rest = b""
        self._last: deque[str] = deque(maxlen=LINES)

    def feed(self, chunk: bytes) -> None:
        """Take what the program has written. A progress line that is drawn over again and again counts as lines."""
        *whole, rest = (self._rest + chunk).replace(b"\r", b"\n").split(b"\n")
        for line in whole:
            self._line(line)
        while len(rest) > LINE:
            self._line(rest[:LINE])
            rest = rest[LINE:]
        self._rest = rest

    def _line(self, line: bytes) -> None:
        if text := line[:LINE].decode("utf-8", "replace").strip():
            self._last.append(text)
            self._log(text)

    @property
    def end(self) -> str:
        """The last lines as one; empty if it has written nothing."""
        rest = self._rest.decode("utf-8", "replace").strip()
        shown = " | ".join([*self._last, *filter(None, [rest])])
        return shown if len(shown) <= _SHOWN else f"...{shown[-_SHOWN:]}"
