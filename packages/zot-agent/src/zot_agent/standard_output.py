"""Standard output that raises `OutputFailed`, so that its failures differ from failures of other files."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class OutputFailed(OSError):
    """Writing to standard output failed for another reason than a closed pipe. `zot_agent.entry` reports it."""


class _Buffer(io.BufferedWriter):
    """Raises `OutputFailed` for a failed write. A reader that has closed the pipe is no failure: `BrokenPipeError` is
    raised as it is.

    The descriptor below belongs to Python: if we wrote to it ourselves, a Ctrl+C after the write, but before the number
    of bytes is noted, would write the same bytes twice.
    """

    def write(self, data: "memoryview | bytes", /) -> int:  # type: ignore[override]
        with _output_errors():
            return super().write(data)

    def flush(self) -> None:
        with _output_errors():
            super().flush()


@contextmanager
def _output_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error.errno, error.strerror) from error


def watch_standard_output() -> None:
    """Replace `sys.stdout` by a stream that raises `OutputFailed` when a write fails.

    The stream is buffered even if PYTHONUNBUFFERED is set: zot flushes where it matters. Does nothing on Windows, where
    the terminal is not a file.
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
