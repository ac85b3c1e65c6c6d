"""`start`: a process of zot that is forked, on Linux, from one that has loaded its modules; any other command is new.

Python takes 80 ms of the processor to start and to load what zot needs, and the tests start zot thousands of times; a
fork takes 15. From `zot_agent.__main__` on, the process is that of `python -m zot_agent`: its arguments, variables,
folder, streams, terminal and signals are what the caller gives, and it has nothing of the process of the tests. The
interpreter is not its own: the modules are loaded before, `/proc` shows another command, and it ends without taking
itself apart. Tests of that ask for a `new` one, which is also what starts where variables are for the interpreter. A
program whose command begins with FORKED, in place of `python -c`, is forked in the same way.
"""

import atexit
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from types import TracebackType
from typing import IO, Any, Self, TypeAlias

import zot_forks
from zot_forks import FORKED, REPORT, ZOT

_OPTIONS = {"cwd", "stdin", "stdout", "stderr", "start_new_session"}


class ForkedZot:
    """A process of zot or of a program, with the part of `subprocess.Popen` that tests use."""

    def __init__(
        self, command: Sequence[str | bytes], *, cwd: Any = ".", env: Mapping[str, str], stdin: Any = None,
        stdout: Any = None, stderr: Any = None, start_new_session: bool = False, terminal: bool = False,
    ) -> None:  # fmt: skip
        self.args = [os.fsdecode(each) for each in command]
        self.returncode: int | None = None
        self.stdin, child_in = _stream(0, stdin)
        self.stdout, child_out = _stream(1, stdout)
        self.stderr, child_error = _stream(2, child_out if stderr == subprocess.STDOUT else stderr)
        self._ended, report = os.pipe()
        words: dict[str, Any] = {"arguments": self.args[1:], "cwd": os.path.abspath(cwd), "env": dict(env)}
        words |= {"session": start_new_session or terminal, "terminal": terminal}
        with tempfile.TemporaryFile() as file:
            file.write(marshal.dumps(words))
            file.seek(0)
            given = [child_in, child_out, child_error, file.fileno(), report]
            socket.send_fds(_server(), [b"fork"], given)
        for each in (child_in, child_out, child_error, report):
            os.close(each)
        self._waiting = threading.Lock()
        self.pid = int(os.read(self._ended, REPORT))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (self.stdout, self.stderr, self.stdin):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self.wait()

    def poll(self) -> int | None:
        """The exit code, minus the signal that has ended it; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; the exit code. Raises `subprocess.TimeoutExpired`."""
        with self._waiting:
            if self.returncode is None:
                if not select.select([self._ended], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(self.args, timeout or 0)
                self.returncode = int(os.read(self._ended, REPORT))
                os.close(self._ended)
        return self.returncode

    def communicate(self, input: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Send `input`, read what comes, wait for the end: standard output and error. Raises `TimeoutExpired`."""
        found: dict[IO[bytes] | None, bytes] = {}

        def write(stream: IO[bytes]) -> None:
            with suppress(BrokenPipeError, ValueError), stream:
                stream.write(input)

        def read(stream: IO[bytes]) -> None:
            with stream:
                found[stream] = stream.read()

        jobs = [(write, self.stdin), (read, self.stdout), (read, self.stderr)]
        threads = [
            threading.Thread(target=job, args=(stream,), daemon=True)
            for job, stream in jobs
            if stream is not None and not stream.closed
        ]
        for thread in threads:
            thread.start()
        self.wait(timeout)
        for thread in threads:
            thread.join(timeout)
            if thread.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return found.get(self.stdout, b""), found.get(self.stderr, b"")

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and this is not reported yet
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Process: TypeAlias = "ForkedZot | subprocess.Popen[bytes]"


def start(
    command: Sequence[str | bytes], *, new: bool = False, terminal: bool = False, env: Mapping[str, str] | None = None,
    **options: Any,
) -> Process:  # fmt: skip
    """Start a command, with options of `subprocess.Popen`: zot, or a program after FORKED, is forked where this is the
    same, unless it shall be `new`.

    With `terminal`, standard input is a terminal, and becomes the one that controls it, in a session of its own.
    """
    env = os.environ if env is None else env
    known = tuple(command[: len(ZOT)]) == ZOT or tuple(command[: len(FORKED)]) == FORKED
    if known and not new and options.keys() <= _OPTIONS and _is_same(env):
        return ForkedZot(command, env=env, terminal=terminal, **options)
    if terminal:
        command = [sys.executable, "-I", "-S", "-c", _LAUNCH, *command]
        options["start_new_session"] = True
    return subprocess.Popen(command, env=env, **options)


# The terminal must be the controlling one, for signals from keys and job control.
_LAUNCH = "import fcntl,os,sys,termios;fcntl.ioctl(0,termios.TIOCSCTTY,0);os.execvp(sys.argv[1],sys.argv[1:])"


def _is_same(env: Mapping[str, str]) -> bool:
    """Whether none of these variables is for the interpreter or the loader of programs."""
    theirs = {name for name in env if name.startswith(("PYTHON", "LD_", "LC_"))}
    return sys.platform == "linux" and not theirs and env.get("LANG") == "C.UTF-8" and "WCWIDTH_PYTHON" not in env


def _stream(number: int, given: Any) -> tuple[IO[bytes] | None, int]:
    """Return our end of a stream, if it is a pipe, and a descriptor of the child's."""
    if given == subprocess.PIPE:
        reading, writing = os.pipe()
        return (os.fdopen(reading, "rb"), writing) if number else (os.fdopen(writing, "wb"), reading)
    if given == subprocess.DEVNULL:
        return None, os.open(os.devnull, os.O_RDWR)
    return None, os.dup(number if given is None else given if isinstance(given, int) else given.fileno())


@cache
def _server() -> socket.socket:
    """Start the server; the socket for requests to it. It ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    env = {name: os.environ[name] for name in ("LANG", "PATH", "TZ") if name in os.environ}
    with theirs:
        process = subprocess.Popen([sys.executable, "-P", zot_forks.__file__], env=env, stdin=theirs)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
