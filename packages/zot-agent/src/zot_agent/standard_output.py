"""Standard output whose failures can be told from those of any other file."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class OutputFailed(OSError):
    """Standard output takes no more, though somebody reads it. What `zot_agent.entry` tells the person, at the end."""


class _Buffer(io.BufferedWriter):
    """A reader that has gone is no failure: a `BrokenPipeError` is let through.

    The descriptor below is Python's own: a Ctrl+C between the write and the note of how much was written would have the
    same written twice.
    """

    def write(self, data: "memoryview | bytes", /) -> int:  # type: ignore[override]
        with _told():
            return super().write(data)

    def flush(self) -> None:
        with _told():
            super().flush()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error.errno, error.strerror) from error


def watch_standard_output() -> None:
    """Have `sys.stdout` raise `OutputFailed` for a write that fails.

    It gathers what is written also where PYTHONUNBUFFERED is set: zot flushes where that counts. Nothing happens on
    Windows, whose terminal is no file.
    """
    if sys.platform == "win32":
        return
    before = sys.stdout
    sys.stdout = io.TextIOWrapper(
        _Buffer(io.FileIO(before.fileno(), "w", closefd=False)),
        encoding=before.encoding,
        errors=before.errors,
        newline="\n",
        line_buffering=before.isatty(),
    )
