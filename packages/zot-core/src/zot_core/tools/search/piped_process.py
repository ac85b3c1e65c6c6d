"""`PipedProcess`: a child process whose pipes are used in threads, so that the event loop never waits for them."""

import asyncio
import contextlib
import subprocess
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class PipedProcess:
    """Starts `arguments` in the folder `cwd`; its stderr is dropped. OSError if it cannot be started.

    Cancelling a call kills the process before `CancelledError` propagates. The owner must call `close`.
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
        """Write a line, including its break, and return the answer line; BrokenPipeError if the process has ended."""
        return await self._in_thread(lambda: self._exchange(line))

    async def output(self) -> tuple[int, bytes]:
        """Wait until the process ends; return its exit code and everything it printed."""
        printed, _ = await self._in_thread(self._process.communicate)
        return self._process.returncode, printed

    def close(self) -> None:
        """Kill the process if it still runs, and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):  # buffered input that was never written
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
            await asyncio.wait([future])  # short, because the pipe has ended
            if not future.cancelled():
                future.exception()  # retrieved: a broken pipe is expected
            raise
