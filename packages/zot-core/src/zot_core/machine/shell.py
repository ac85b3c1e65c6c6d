"""`LocalShell`: runs commands on this machine, each in its own process group.

The shell is `bash` if it is on the PATH, else `sh`. A command ends when its shell ends; its background processes keep
running. At the time limit, or when the caller is cancelled, the whole group is ended: first SIGTERM, a little later
SIGKILL. A child that starts its own session (`setsid`) is not ended.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Collection, Mapping, Sequence

from zot_core.machine.interface import ShellExit
from zot_core.machine.posix import missing_posix
from zot_core.machine.process_groups import group_commands, group_runs, signal_group
from zot_core.machine.programs import find_program
from zot_provider.record import Record

_PIECE = 64 * 1024
_PIPE_PIECES = 16  # pieces that the largest pipe holds (1 MiB on Linux)
_POLL = 0.02
_ARGUMENT_BYTES = 128 * 1024
"""Linux takes no longer argument, with the zero byte at its end (MAX_ARG_STRLEN in execve(2))."""


class ShellLimits(Record):
    """Time limits, in seconds."""

    kill_after: float = 3.0
    """From SIGTERM to SIGKILL, for a command that exceeds its time limit."""
    kill_cancelled_after: float = 0.05
    """The same for a command that is cancelled: a person waits for its end."""
    linger: float = 0.1
    """How long output is read after the shell has ended, if a background process holds the output open."""
    drain_interval: float = 0.1
    """Pause between two reads of the output of background processes, which is dropped."""
    flood_bytes: int = 4 * 1024 * 1024
    flood_interval: float = 0.05
    """The bytes of a command's output that are read at most, and in how many seconds: reading delays everything else in
    the process."""


class Launch(Record):
    """How a process is started. Its environment is `env` alone; `descriptors` are passed on, and closed here."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    descriptors: Sequence[int] = ()


class LocalShell:
    """`Shell` of this machine. Commands get the environment of this process without the variables `removed_env`.

    `prepare` changes how a command is started, and the environment that it gets besides its own; it may raise OSError.
    """

    def __init__(
        self,
        limits: ShellLimits | None = None,
        *,
        removed_env: Collection[str] = (),
        prepare: Callable[[Launch], Launch] | None = None,
    ) -> None:
        self.limits, self.removed_env, self._prepare = limits or ShellLimits(), removed_env, prepare
        self._program = ""

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str],
        timeout: float | None,
        output: Callable[[bytes], None],
        errors: Callable[[bytes], None] | None = None,
        stdin: bytes | None = None,
    ) -> ShellExit:
        """Run the command, see `Shell.run`. Its standard error goes to `errors` if that is given, and its standard
        input is `stdin`. OSError if no shell can be started, e.g. if `cwd` was deleted."""
        if problem := missing_posix("commands"):
            raise OSError(problem)
        self._program = self._program or find_program("bash") or find_program("sh") or "/bin/sh"
        inherited = {name: value for name, value in os.environ.items() if name not in self.removed_env}
        launch = _launch(self._program, command, cwd, inherited)
        if self._prepare is not None:
            try:
                launch = self._prepare(launch)
            except BaseException:
                for each in launch.descriptors:
                    os.close(each)
                raise
        process, descriptors = _start(launch.replace(env={**launch.env, **env}), errors is not None, stdin is not None)
        running: list[str] = []
        pipes = [_Pipe(descriptors[0], output, self.limits)]
        if errors is not None:
            pipes.append(_Pipe(descriptors[1], errors, self.limits))
        feed = None if stdin is None else _Feed(descriptors[-1], stdin)
        exited = _exit_of(process)
        try:
            done, _ = await asyncio.wait([exited], timeout=timeout)
            if not done:
                running = group_commands(process.pid)
                await self._end(process, exited, self.limits.kill_after)
            await _wait_for(pipes, self.limits.linger)
        except BaseException:
            for pipe in pipes:
                pipe.close()
            await self._end(process, exited, self.limits.kill_cancelled_after)
            raise
        finally:
            if feed is not None:
                feed.close()
        for pipe in pipes:
            if not pipe.ended.done():
                pipe.read_rest()
                pipe.drop_rest(self.limits.drain_interval)
        code = process.returncode
        return ShellExit(_exit_code(code)) if done else ShellExit(None, timed_out=True, running=running)

    async def _end(self, process: "subprocess.Popen[bytes]", exited: "asyncio.Future[None]", kill_after: float) -> None:
        """End the whole group, and return once none of it runs. Cancelling this call sends SIGKILL at once. What hangs
        in the kernel, so that not even SIGKILL ends it in `limits.kill_after` seconds, is given up."""
        signal_group(process.pid, signal.SIGTERM)
        try:
            await _gone(process, exited, kill_after)
        finally:
            signal_group(process.pid, signal.SIGKILL)
            await _gone(process, exited, self.limits.kill_after)


async def _gone(process: "subprocess.Popen[bytes]", exited: "asyncio.Future[None]", seconds: float) -> None:
    """Wait at most so long until no process of the group runs."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    await asyncio.wait([exited], timeout=seconds)
    # The system does not notify when the last process of a group ends.
    while group_runs(process.pid) and loop.time() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(_POLL)


def _launch(program: str, command: str, cwd: str, env: Mapping[str, str]) -> Launch:
    """Return how the shell `program` runs a command. A command that is too long for an argument is read from a file
    that has no name any more."""
    script = os.fsencode(command)
    if len(script) < _ARGUMENT_BYTES:
        return Launch([program, "-c", command], cwd, env)
    from tempfile import TemporaryFile  # noqa: PLC0415  only a very long command needs it

    with TemporaryFile() as file:
        file.write(script)
        file.seek(0)
        number = os.dup(file.fileno())
    # Only bash knows descriptors of two digits by number.
    is_bash = program.endswith("/bash")
    text, end = (f"cat <&{number}", f"exec {number}<&-") if is_bash else (f"cat /dev/fd/{number}", ":")
    return Launch([program, "-c", f'zot_script=$({text}) && {end} && eval "$zot_script"'], cwd, env, [number])


def _start(
    launch: Launch,
    errors: bool,  # noqa: FBT001  as in the caller
    stdin: bool,  # noqa: FBT001
) -> "tuple[subprocess.Popen[bytes], list[int]]":
    """Start the process; return it and the descriptors of its output, of its `errors` if they are apart from that, and
    of its standard input if it has one.

    `subprocess` with our own pipes instead of asyncio's: it saves half a millisecond per command, and a pipe can be
    read after the process has ended.
    """
    ours: list[int] = []
    theirs: list[int] = []
    try:
        for _ in range(1 + errors):
            output, end = os.pipe()
            ours.append(output)
            theirs.append(end)
        if stdin:
            source, feed = os.pipe()
            ours.append(feed)
            theirs.append(source)
        process = subprocess.Popen(
            launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            stdin=theirs[-1] if stdin else subprocess.DEVNULL,
            stdout=theirs[0],
            stderr=theirs[errors],
            start_new_session=True,
            pass_fds=launch.descriptors,
        )
    except BaseException:
        for each in ours:
            os.close(each)
        raise
    finally:
        for each in (*theirs, *launch.descriptors):
            os.close(each)
    return process, ours


def _exit_of(process: "subprocess.Popen[bytes]") -> "asyncio.Future[None]":
    """Return a future that is done when the process has ended and `returncode` is set, even if nobody awaits it."""
    loop = asyncio.get_running_loop()
    exited = loop.create_future()

    def finish() -> None:
        process.wait()
        if not exited.done():
            exited.set_result(None)

    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not Linux, or not allowed
        threading.Thread(target=_wait_in_thread, args=(process, loop, finish), daemon=True).start()
        return exited

    def readable() -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        finish()

    loop.add_reader(descriptor, readable)
    return exited


def _wait_in_thread(
    process: "subprocess.Popen[bytes]", loop: asyncio.AbstractEventLoop, finish: Callable[[], None]
) -> None:
    process.wait()
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is waiting
        loop.call_soon_threadsafe(finish)


def _exit_code(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode


class _Pipe:
    """The read end of a command's output; `ended` is done when all writers have closed it."""

    def __init__(self, descriptor: int, output: Callable[[bytes], None], limits: ShellLimits) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._output = output
        self._limits = limits
        self._read_now: Callable[[], object] = self._read
        self._window = self._loop.time()
        self._room = limits.flood_bytes
        self.ended = self._loop.create_future()
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._read)

    def _read(self) -> bool:
        """Read a piece. Return whether there was one."""
        try:
            piece = os.read(self._descriptor, _PIECE)
        except BlockingIOError:
            return False
        if not piece:
            self.close()
            return False
        self._output(piece)
        self._room -= len(piece)
        if self._room <= 0:
            self._pause()
        return True

    def read_rest(self) -> None:
        """Read what is in the pipe, which may hold the last output of a command that has ended."""
        for _ in range(_PIPE_PIECES):
            if self.ended.done() or not self._read():
                return

    def _pause(self) -> None:
        """Stop reading until the interval is over, if it is not over yet."""
        rest = self._window + self._limits.flood_interval - self._loop.time()
        if rest > 0:
            self._loop.remove_reader(self._descriptor)
            self._loop.call_later(rest, self._resume)
        else:
            self._window, self._room = self._loop.time(), self._limits.flood_bytes

    def _resume(self) -> None:
        if not self.ended.done():
            self._window, self._room = self._loop.time(), self._limits.flood_bytes
            self._loop.add_reader(self._descriptor, self._read_now)

    def close(self) -> None:
        """Stop reading."""
        if not self.ended.done():
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self.ended.set_result(None)

    def drop_rest(self, pause: float) -> None:
        """Keep reading the output of background processes, a piece every `pause` seconds, and drop it.

        A closed pipe would kill a background server at its next log line; a full pipe would block it.
        """

        def wait() -> None:
            if not self.ended.done():
                self._loop.remove_reader(self._descriptor)
                self._loop.call_later(pause, self._loop.add_reader, self._descriptor, drain)

        def drain() -> None:
            self._read()
            wait()

        self._output = lambda piece: None
        self._read_now = drain
        wait()


async def _wait_for(pipes: Sequence[_Pipe], seconds: float) -> None:
    """Wait at most so long until all writers have closed the pipes, which they mostly have."""
    if waiting := [pipe.ended for pipe in pipes if not pipe.ended.done()]:
        await asyncio.wait(waiting, timeout=seconds)


class _Feed:
    """Writes `data` to the write end of a command's standard input as fast as it is read, and closes it."""

    def __init__(self, descriptor: int, data: bytes) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor, self._rest = descriptor, memoryview(data)
        self._open = True
        os.set_blocking(descriptor, False)
        self._loop.add_writer(descriptor, self._write)

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._descriptor, self._rest[:_PIECE]) :]
        except BlockingIOError:
            return
        except OSError:  # the command does not read it
            self._rest = self._rest[:0]
        if not self._rest:
            self.close()

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_writer(self._descriptor)
            os.close(self._descriptor)
