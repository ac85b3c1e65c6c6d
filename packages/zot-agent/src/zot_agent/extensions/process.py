"""`Process`: a child process in its own process group, from its start until the whole group has ended."""

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable

from zot_core.machine.process_groups import group_runs, signal_group
from zot_core.machine.shell import Launch

_POLL = 0.02
"""Seconds between two checks whether the group has ended."""

_KILLED = 10.0
"""Seconds that the end of a killed process is waited for; a process that hangs in the kernel may need more."""


class Process:
    """A process started as `launch` says, with pipes as standard input and output.

    `input` and `output` are the pipe ends of the parent; the owner of this object closes them. `ended` is called once,
    from the loop, when the process has ended and was reaped; its children may still run. OSError or ValueError if it
    cannot be started.
    """

    def __init__(self, launch: Launch, errors: int, ended: Callable[[], None]) -> None:
        """`errors` is a descriptor for its standard error, or `subprocess.DEVNULL`. A loop must run."""
        self.exited = asyncio.Event()
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        theirs_in, self.input = os.pipe()
        self.output, theirs_out = os.pipe()
        try:
            self._child = subprocess.Popen(
                launch.argv,
                cwd=launch.cwd,
                env=launch.env,
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=errors,
                start_new_session=True,
                pass_fds=launch.descriptors,
            )
        except BaseException:
            os.close(self.input)
            os.close(self.output)
            raise
        finally:
            for descriptor in (theirs_in, theirs_out, *launch.descriptors):
                os.close(descriptor)
        self.pid = self._child.pid
        self._watch()

    def widen_pipes(self, size: int) -> None:
        """Let the pipes hold `size` bytes, where the system can: large frames take fewer turns then."""
        with contextlib.suppress(ImportError, AttributeError, OSError):  # not Linux, or more than a person may have
            from fcntl import F_SETPIPE_SZ, fcntl  # noqa: PLC0415  not on Windows

            for descriptor in (self.input, self.output):
                fcntl(descriptor, F_SETPIPE_SZ, size)

    def fate(self) -> str:
        """Return how it ended, as the end of a sentence, e.g. `exited with code 1`; empty while it runs."""
        code = self._child.returncode
        if code is None:
            return ""
        if code >= 0:
            return f"exited with code {code}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"

    def kill(self) -> None:
        """Send SIGKILL to the whole group."""
        signal_group(self.pid, signal.SIGKILL)

    async def end(self, patience: float) -> None:
        """Send SIGTERM to the whole group, and after `patience` seconds SIGKILL if any process is left.

        On return the process was reaped and no process of its group runs. A process that SIGKILL does not end is given
        up after `_KILLED` seconds. A child that has left the group is not reached.
        """
        for number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, _KILLED)):
            signal_group(self.pid, number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.exited.wait()
                    # There is no notification when the last process of a group ends.
                    while group_runs(self.pid):  # noqa: ASYNC110
                        await asyncio.sleep(_POLL)
                    return

    def _watch(self) -> None:
        """Wait for the exit: on Linux with a pidfd, elsewhere in a thread."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            threading.Thread(target=self._wait_in_thread, name=f"process {self.pid}", daemon=True).start()
            return

        def readable() -> None:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
            self._finish()

        self._loop.add_reader(descriptor, readable)

    def _wait_in_thread(self) -> None:
        self._child.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        self._child.wait()
        self.exited.set()
        self._ended()
