"""`zot ext logs NAME [-f]`: prints the log of an extension: its standard error, and zot's notes about it."""

import os
import select
import sys
import time
from typing import BinaryIO

from zot_agent.cli.ext.folder.names import ExtensionName, display_name, pick
from zot_agent.cli.ext.terminal import print_text
from zot_agent.config.paths import zot_home
from zot_agent.extensions.log import log_path
from zot_agent.standard_error import print_error
from zot_agent.standard_output import OutputFailed
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.files.regular_file import open_regular

POLL_SECONDS = 0.2
"""Seconds between two checks whether the log has grown."""
_CHUNK = 1 << 16


def print_log(name: ExtensionName, *, follow: bool = False) -> int:
    """Print what an extension wrote to standard error, and zot's notes about it.

    -f, --follow: keep printing new lines until Ctrl+C, or until the reader of standard output disconnects
    """
    path = _path(name)
    if not os.path.exists(path):
        print_error(f"{path} does not exist: the extension has not run yet, or has logged nothing")
        if not follow:
            return 1
    try:
        return _print(path, follow=follow)
    except BrokenPipeError:
        return 0
    except OutputFailed:
        raise
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except KeyboardInterrupt:  # the usual way to stop -f
        return 130


def _path(name: str) -> str:
    """Return the path of the log, also for an extension that was run with --ext and is not installed."""
    try:
        return log_path(zot_home(), display_name(pick(name)))
    except UnknownName:
        path = log_path(zot_home(), name)
        if not os.path.exists(path):
            raise
        return path


def _print(path: str, *, follow: bool) -> int:
    rest = b""
    file: BinaryIO | None = None
    try:
        while True:
            if file is None and os.path.exists(path):
                file = open(path, "rb", opener=open_regular)  # noqa: SIM115  kept open until the log is replaced
            grown = False
            while file is not None and (data := file.read(_CHUNK)):
                grown = True
                lines, line_break, rest = (rest + data).rpartition(b"\n")
                _write(lines + line_break)
            if rest and not grown:  # the last line has no line break (yet)
                _write(rest)
                rest = b""
            if not grown and (not follow or _wait_for_hangup(POLL_SECONDS)):
                return 0
            if file is not None and _was_replaced(file, path):
                file.close()
                file = None
    finally:
        if file is not None:
            file.close()


def _write(data: bytes) -> None:
    if sys.stdout.isatty():
        print_text(data.decode("utf-8", "replace"))
    else:  # unchanged, for another program
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _was_replaced(file: BinaryIO, path: str) -> bool:
    """Whether the log was truncated, or another file has its name now."""
    status = os.fstat(file.fileno())
    try:
        return status.st_size < file.tell() or not os.path.samestat(status, os.stat(path))
    except FileNotFoundError:
        return False


def _wait_for_hangup(seconds: float) -> bool:
    """Wait for `seconds`; return True as soon as the other end of standard output is closed."""
    if not hasattr(select, "poll"):
        time.sleep(seconds)
        return False
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # errors are always reported
    return bool(poll.poll(seconds * 1000))
