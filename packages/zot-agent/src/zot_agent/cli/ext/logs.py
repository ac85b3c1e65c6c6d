"""`zot ext logs NAME [-f]`: what an extension wrote to standard error, and what zot noted about it."""

import os
import select
import sys
import time
from collections.abc import Sequence
from typing import BinaryIO

from zot_agent.cli.ext.folder.names import pick, title
from zot_agent.cli.ext.terminal import show
from zot_agent.cli.parser import Parser
from zot_agent.config.paths import zot_home
from zot_agent.extensions.log import log_path
from zot_agent.modes.output import print_error
from zot_agent.standard_output import OutputFailed
from zot_provider.errors import ConfigError, UnknownName

LOOK = 0.2
"""Seconds between two looks at whether the log has grown."""
_CHUNK = 1 << 16


def run(arguments: Sequence[str]) -> int:
    """Print a log: 0, 1 if there is none. With -f it goes on until Ctrl+C (130) or until nobody reads."""
    parser = Parser(prog="zot ext logs", description="Print the log of an extension.")
    parser.add_argument("name", metavar="NAME", help="its name, or that or the path of its folder")
    parser.add_argument("-f", "--follow", action="store_true", help="go on printing what is added, until Ctrl+C")
    asked = parser.parse_args(list(arguments))
    path = _path(asked.name)
    if not os.path.exists(path):
        print_error(f"{path} is not there: the extension has not been run yet, or had nothing to say")
        if not asked.follow:
            return 1
    try:
        return _print(path, follow=asked.follow)
    except BrokenPipeError:
        return 0
    except OutputFailed:
        raise
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except KeyboardInterrupt:  # the way to end it
        return 130


def _path(name: str) -> str:
    """Also of an extension that is not installed, and was run with --ext."""
    try:
        return log_path(zot_home(), title(pick(name)))
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
                file = open(path, "rb")  # noqa: SIM115  held until the log begins anew
            grown = False
            while file is not None and (data := file.read(_CHUNK)):
                grown = True
                lines, line_break, rest = (rest + data).rpartition(b"\n")
                _show(lines + line_break)
            if rest and not grown:  # whoever writes has stopped in the middle of a line, or is done
                _show(rest)
                rest = b""
            if not grown and (not follow or _nobody_reads(LOOK)):
                return 0
            if file is not None and _begun_anew(file, path):
                file.close()
                file = None
    finally:
        if file is not None:
            file.close()


def _show(data: bytes) -> None:
    if sys.stdout.isatty():
        show(data.decode("utf-8", "replace"))
    else:  # as it is, for whatever reads it
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _begun_anew(file: BinaryIO, path: str) -> bool:
    """Whether the log was cut off, or another file has its name now."""
    status = os.fstat(file.fileno())
    try:
        return status.st_size < file.tell() or not os.path.samestat(status, os.stat(path))
    except FileNotFoundError:
        return False


def _nobody_reads(seconds: float) -> bool:
    """Wait; True as soon as the other end of standard output is closed."""
    if not hasattr(select, "poll"):
        time.sleep(seconds)
        return False
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # errors are always reported
    return bool(poll.poll(seconds * 1000))
