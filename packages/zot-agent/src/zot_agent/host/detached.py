"""Start a `zot` process that survives the terminal and the process that started it.

The starter waits until the new process says with `report_ready` that it has begun, and so can report why one did not.
Whether such a process lives is no matter of its id, which the system gives to others: it holds the lock of a session,
which the kernel frees when the process ends (`zot_core.sessions.file.in_use`).
"""

import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from zot_core.machine.posix import missing_posix
from zot_provider.errors import ConfigError, ZotError
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular
from zot_provider.record import Record

READY = "ZOT_READY_FD"
"""The environment variable with the number of the descriptor on which `report_ready` writes; it reads it once."""

_LINE_BYTES = 4096


class StartLimits(Record):
    """`seconds`: how long a process may take to begin. `log_bytes`: a longer log is emptied before a start."""

    seconds: float = 30.0
    log_bytes: int = 1 << 20


class NotStarted(ZotError):
    """The process has ended before it was ready, or was not ready in time. The text has the last line that it wrote."""


_started: "list[subprocess.Popen[bytes]]" = []
"""The processes that this one has started. It asks for their ends, or they would stay zombies."""


def start_detached(
    words: Sequence[str], log: str, *, cwd: str, env: Mapping[str, str] | None = None, limits: StartLimits | None = None
) -> int:
    """Run `zot WORDS` in `cwd` and return its process id once it is ready. Its standard input is empty; what it prints
    is appended to the file `log`, which only its owner can read. `env` replaces the environment of this process.

    This blocks: call it in a thread. Raises `ConfigError` on Windows, `NotStarted`, and `ZotError` for a log that
    cannot be written.
    """
    if problem := missing_posix("processes without a terminal"):
        raise ConfigError(problem)
    _started[:] = [process for process in _started if process.poll() is None]
    limits = limits or StartLimits()
    with ZotError.of_system(f"cannot write {log}"):
        make_private(os.path.dirname(os.path.abspath(log)))
        output = open_regular(log, os.O_RDWR | os.O_APPEND, create=True)
    ready, reports = os.pipe()
    try:
        os.fchmod(output, 0o600)
        if (start := os.fstat(output).st_size) > limits.log_bytes:
            os.ftruncate(output, 0)
            start = 0
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "zot_agent", *words],  # no module in `cwd` is taken for one of ours
            cwd=cwd,
            env={**(os.environ if env is None else env), READY: str(reports)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[reports],
            start_new_session=True,
        )
        _started.append(process)
        os.close(reports)
        reports = -1
        if _wait(ready, limits.seconds):
            return process.pid
        raise _failure(process, output, start, limits)
    except OSError as error:
        raise ZotError(f"cannot start zot in {cwd}: {error.strerror}") from error
    finally:
        for descriptor in (ready, reports, output):
            if descriptor >= 0:
                os.close(descriptor)


def report_ready() -> None:
    """Report that this process has begun, to `start_detached`; does nothing in processes that it did not start."""
    number = os.environ.pop(READY, "")
    if number.isdecimal():
        with suppress(OSError):  # the starter has ended, or the variable comes from elsewhere
            os.write(int(number), b"\n")
            os.close(int(number))


def last_line(log: str) -> str:
    """Return the last line in a log that is not blank, without the name of the program; empty without any."""
    try:
        descriptor = open_regular(log)
    except OSError:
        return ""
    try:
        return _last_line(descriptor, 0)
    finally:
        os.close(descriptor)


def _wait(ready: int, seconds: float) -> bool:
    """Return whether a report arrives within `seconds`. The end of the process ends the wait."""
    return bool(select.select([ready], [], [], seconds)[0]) and os.read(ready, 1) == b"\n"


def _failure(process: "subprocess.Popen[bytes]", output: int, start: int, limits: StartLimits) -> NotStarted:
    end = time.monotonic() + 1.0
    while process.poll() is None and time.monotonic() < end:  # its end of the pipe is closed a moment before it ends
        time.sleep(0.005)
    if process.poll() is None:
        process.kill()
        process.wait()
        return NotStarted(f"zot has not begun within {limits.seconds:g} s and was stopped")
    error = NotStarted(_last_line(output, start) or f"zot has ended with the exit code {process.returncode}")
    error.exit_code = process.returncode if process.returncode > 0 else 1
    return error


def _last_line(descriptor: int, start: int) -> str:
    size = os.fstat(descriptor).st_size
    first = max(start, size - _LINE_BYTES)
    lines = os.pread(descriptor, size - first, first).decode("utf-8", "replace").splitlines()
    return next((line.strip().removeprefix("zot: ") for line in reversed(lines) if line.strip()), "")
