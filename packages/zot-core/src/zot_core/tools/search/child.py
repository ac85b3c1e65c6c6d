"""`Child`: a process that threads write to and read from, so that the event loop never waits for a pipe."""

import asyncio
import contextlib
import subprocess
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Child:
    """Starts `arguments` in the folder `cwd`; what it prints to stderr is dropped. OSError if it cannot be started.

    A call that is cancelled kills the process before `CancelledError` goes on. `close` must be called in the end.
    """

    def __init__(self, arguments: Sequence[str], cwd: str | None = None) -> None:
        self._process = subprocess.Popen(
            arguments,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    async def ask(self, line: bytes) -> bytes:
        """Write a line, its break included, and read the one that answers it; BrokenPipeError if the process ended."""
        return await self._in_thread(lambda: self._exchange(line))

    async def output(self) -> tuple[int, bytes]:
        """Everything it prints, and its exit code, once it has ended."""
        printed, _ = await self._in_thread(self._process.communicate)
        return self._process.returncode, printed

    def close(self) -> None:
        """Kill the process, if it still runs, and forget it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):  # what was never written
                    pipe.close()

    def _exchange(self, line: bytes) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise BrokenPipeError
        stdin.write(line)
        stdin.flush()
        answer = stdout.readline()
        if not answer.endswith(b"\n"):
            raise BrokenPipeError
        return answer

    async def _in_thread(self, work: Callable[[], T]) -> T:
        future = asyncio.get_running_loop().run_in_executor(None, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._process.kill()
            await asyncio.wait([future])  # its pipe has ended, so that this is short
            if not future.cancelled():
                future.exception()  # seen: a broken pipe is what was wanted
            raise
