"""Threads: `Wakeup` and `SelfPipe` wake a thread, `SerialQueue` runs jobs in order, `ThreadPool` side by side, and
`LoopThread` runs coroutines."""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from typing import Any


class Wakeup:
    """Wakes one waiting thread, faster than `threading.Event`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def wake(self) -> None:
        """Wake the waiting thread; if none is waiting, the next wait returns at once."""
        with suppress(RuntimeError):  # it was woken already
            self._lock.release()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for `wake`, at most `seconds`."""
        self._lock.acquire(timeout=-1 if seconds is None else max(seconds, 0))


class SelfPipe:
    """Wakes the main thread, also from signals: `signal.set_wakeup_fd(pipe.signal_descriptor())`.

    A signal that arrives just before a thread waits for a lock is only noticed once the thread gets the lock, which may
    be never. A byte in a pipe is not lost.
    """

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self._used_by_signals = False
        os.set_blocking(self._write_end, False)

    def signal_descriptor(self) -> int:
        """Return the descriptor for signals. It stays open from now on: a signal may arrive at any time."""
        self._used_by_signals = True
        return self._write_end

    def wake(self) -> None:
        """Wake the waiting thread; if none is waiting, the next wait returns at once. Harmless after `close`."""
        with suppress(OSError):  # the pipe is full or closed
            os.write(self._write_end, b"\0")

    def wait(self, seconds: float | None = None) -> None:
        """Wait for `wake` or a signal, at most `seconds`."""
        if select.select([self._read_end], [], [], None if seconds is None else max(seconds, 0))[0]:
            os.read(self._read_end, 4096)

    def close(self) -> None:
        """Close the pipe, unless signals use it."""
        if not self._used_by_signals:
            read_end, write_end = self._read_end, self._write_end
            self._read_end = self._write_end = -1
            os.close(write_end)
            os.close(read_end)


class RunningJobs:
    """Counts jobs that run or wait. `idle` is called when none is left after `drain`."""

    def __init__(self, idle: Callable[[], None]) -> None:
        self._idle = idle
        self._lock = threading.Lock()
        self._count, self._draining = 0, False

    def add(self, *, always: bool = True) -> bool:
        """Count another job; not after `drain`, unless it is `always` run. Return whether it is counted."""
        with self._lock:
            counted = always or not self._draining
            self._count += counted
        return counted

    def done(self) -> None:
        with self._lock:
            self._count -= 1
            idle = self._draining and not self._count
        if idle:
            self._idle()

    def drain(self) -> bool:
        """Return whether no job is left."""
        with self._lock:
            self._draining = True
            return not self._count


class SerialQueue:
    """Runs jobs one after the other in its own thread, which starts with the first job, and counts them in `running`.
    Jobs must not raise."""

    def __init__(self, name: str, running: RunningJobs) -> None:
        self._name, self._running = name, running
        self._jobs: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._working = False

    def put(self, job: Callable[[], None], *, always: bool = True) -> bool:
        """Add a job, unless all are waited for and it is not `always` run; return whether it was added."""
        if not self._running.add(always=always):
            return False
        with self._lock:
            self._jobs.append(job)
            if self._working:
                return True
            self._working = True
        threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return True

    def clear(self) -> None:
        """Drop the jobs that have not started."""
        with self._lock:
            self._jobs.clear()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    # The next job starts a new thread: an idle extension has no thread.
                    self._working = False
                    return
                job = self._jobs.popleft()
            try:
                job()
            finally:
                self._running.done()


class ThreadPool:
    """Runs jobs side by side, each in a thread. Jobs must not raise.

    An idle thread waits for the next job, because starting a thread takes longer than answering most requests.
    """

    def __init__(self, max_idle: int = 4) -> None:
        """At most `max_idle` threads wait for a job; further threads end after their job."""
        self._max_idle = max_idle
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._stopped = False

    def put(self, job: Callable[[], None]) -> None:
        """Start a job at once. RuntimeError if no thread can be started for it."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None  # the thread that was busy last wakes up fastest
        if worker is None:
            threading.Thread(target=self._work, args=(job,), name="requests", daemon=True).start()
        else:
            worker.job = job
            worker.wakeup.wake()

    def stop(self) -> None:
        """End the idle threads now, and each of the others after its job."""
        with self._lock:
            self._stopped = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.wakeup.wake()

    def _work(self, job: Callable[[], None] | None) -> None:
        worker = _Worker()
        while job is not None:
            job()
            worker.job = job = None
            with self._lock:
                if self._stopped or len(self._idle) >= self._max_idle:
                    return
                self._idle.append(worker)
            worker.wakeup.wait()
            job = worker.job


class _Worker:
    """A thread of the pool and its next job; None ends the thread."""

    __slots__ = ("job", "wakeup")

    def __init__(self) -> None:
        self.wakeup = Wakeup()
        self.job: Callable[[], None] | None = None


class LoopThread:
    """An event loop in its own thread, which starts with the first coroutine."""

    def __init__(self, running: Callable[[Callable[[], object]], None] | None = None) -> None:
        """`running` is called, in the thread of the caller, with a function that cancels the coroutine it runs."""
        self._running = running
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, awaitable: Awaitable[object]) -> object:
        """Run an awaitable on the loop, wait for it, and return or raise its outcome, also if it is cancelled. Not from
        the loop itself."""
        import asyncio  # noqa: PLC0415 - the first coroutine pays for it, not the start-up

        loop = self._start()
        tasks: list[asyncio.Task[Any]] = []

        async def guarded() -> tuple[object, BaseException | None]:
            # `SystemExit` would end the loop and so all other handlers.
            if (task := asyncio.current_task()) is not None:
                tasks.append(task)
            try:
                return await awaitable, None
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                return None, error

        def cancel() -> None:
            # After what starts it; `future.cancel` would not wait for what it does when it is cancelled.
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(lambda: loop.call_soon(lambda: [each.cancel() for each in tasks]))

        future = asyncio.run_coroutine_threadsafe(guarded(), loop)
        if self._running is not None:
            self._running(cancel)
        value, error = future.result()
        if error is not None:
            raise error
        return value

    def _start(self) -> asyncio.AbstractEventLoop:
        import asyncio  # noqa: PLC0415 - as above

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._run, args=(self._loop,), name="coroutines", daemon=True)
                self._thread.start()
            return self._loop

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    def stop(self, seconds: float) -> None:
        """Cancel the running coroutines, wait at most `seconds` for them, and end the loop."""
        if self._loop is None or self._thread is None:
            return
        import asyncio  # noqa: PLC0415 - as above
        import concurrent.futures  # noqa: PLC0415 - as above

        async def cancel_all() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        try:
            asyncio.run_coroutine_threadsafe(cancel_all(), self._loop).result(seconds)
        except concurrent.futures.TimeoutError:
            return  # a handler blocks the loop; it ends with the process
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
