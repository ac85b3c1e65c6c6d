"""Standard output whose failures can be told from those of any other file."""

import io
import sys


class OutputFailed(OSError):
    """Standard output takes no more, though somebody reads it. What `zot_agent.entry` tells the person, at the end."""


class _Descriptor(io.FileIO):
    """A reader that has gone is no failure: a `BrokenPipeError` is let through."""

    def write(self, data: "memoryview | bytes", /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
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
        io.BufferedWriter(_Descriptor(before.fileno(), "w", closefd=False)),
        encoding=before.encoding,
        errors=before.errors,
        newline="\n",
        line_buffering=before.isatty(),
    )
