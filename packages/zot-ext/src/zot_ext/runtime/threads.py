"""Threads: `Wakeup` and `SelfPipe` wake a waiting one; `Lane` does jobs in order, `Workers` side by side, `LoopThread`
coroutines."""

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


class Wakeup:
    """Wakes one waiting thread, sooner than a `threading.Event`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def ring(self) -> None:
        """Wake the waiting thread; with nobody waiting, the next wait returns at once."""
        with suppress(RuntimeError):  # it has been rung already
            self._lock.release()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for a ring, at most `seconds`."""
        self._lock.acquire(timeout=-1 if seconds is None else max(seconds, 0))


class SelfPipe:
    """A bell for the main thread, which signals ring as well: `signal.set_wakeup_fd(bell.for_signals())`.

    A signal that comes just before a thread waits for a lock is noticed when the lock comes, which may be never. A byte
    in a pipe stays.
    """

    def __init__(self) -> None:
        self._listening, self._ringing = os.pipe()
        self._kept = False
        os.set_blocking(self._ringing, False)

    def for_signals(self) -> int:
        """The descriptor that signals write to. From now on it stays open: a signal may come at any time."""
        self._kept = True
        return self._ringing

    def ring(self) -> None:
        """Wake the waiting thread; with nobody waiting, the next wait returns at once. Harmless once closed."""
        with suppress(OSError):  # so many rings that the pipe is full, or nobody there any more
            os.write(self._ringing, b"\0")

    def wait(self, seconds: float | None = None) -> None:
        """Wait for a ring, at most `seconds`."""
        if select.select([self._listening], [], [], None if seconds is None else max(seconds, 0))[0]:
            os.read(self._listening, 4096)

    def close(self) -> None:
        """Take the bell away, unless signals have it."""
        if not self._kept:
            listening, ringing = self._listening, self._ringing
            self._listening = self._ringing = -1
            os.close(ringing)
            os.close(listening)


class Lane:
    """Does jobs one after the other, in a thread of its own that starts with the first. Jobs do not raise."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._working = False

    def put(self, job: Callable[[], None]) -> None:
        """Add a job behind those that wait."""
        with self._lock:
            self._jobs.append(job)
            if self._working:
                return
            self._working = True
        threading.Thread(target=self._work, name=self._name, daemon=True).start()

    def clear(self) -> None:
        """Forget the jobs that have not begun."""
        with self._lock:
            self._jobs.clear()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    # The next job starts a new thread: an idle extension keeps none.
                    self._working = False
                    return
                job = self._jobs.popleft()
            job()


class Workers:
    """Does jobs side by side, each in a thread. Jobs do not raise.

    A thread that is done waits for the next job, since to start one takes longer than to answer most requests.
    """

    def __init__(self, kept: int = 4) -> None:
        """At most `kept` threads wait; more go away when they are done."""
        self._kept = kept
        self._lock = threading.Lock()
        self._waiting: list[_Seat] = []
        self._stopped = False

    def put(self, job: Callable[[], None]) -> None:
        """Begin a job at once. RuntimeError if no thread can be started for it."""
        with self._lock:
            seat = self._waiting.pop() if self._waiting else None  # the last that was busy is the quickest to wake
        if seat is None:
            threading.Thread(target=self._work, args=(job,), name="requests", daemon=True).start()
        else:
            seat.job = job
            seat.bell.ring()

    def stop(self) -> None:
        """Send the waiting threads away, and each of the others when it is done."""
        with self._lock:
            self._stopped = True
            waiting, self._waiting = self._waiting, []
        for seat in waiting:
            seat.bell.ring()

    def _work(self, job: Callable[[], None] | None) -> None:
        seat = _Seat()
        while job is not None:
            job()
            seat.job = job = None
            with self._lock:
                if self._stopped or len(self._waiting) >= self._kept:
                    return
                self._waiting.append(seat)
            seat.bell.wait()
            job = seat.job


class _Seat:
    """Where a thread waits for its next job; none means that it may go."""

    __slots__ = ("bell", "job")

    def __init__(self) -> None:
        self.bell = Wakeup()
        self.job: Callable[[], None] | None = None


class LoopThread:
    """An event loop in a thread, started with the first coroutine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, awaitable: Awaitable[object]) -> object:
        """Run an awaitable on the loop and wait for what it gives or raises. Not from the loop itself."""
        import asyncio  # noqa: PLC0415 - the first coroutine pays for it, not the start

        async def guarded() -> tuple[object, BaseException | None]:
            # `SystemExit` would end the loop, and all other handlers with it.
            try:
                return await awaitable, None
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                return None, error

        value, error = asyncio.run_coroutine_threadsafe(guarded(), self._started()).result()
        if error is not None:
            raise error
        return value

    def _started(self) -> asyncio.AbstractEventLoop:
        import asyncio  # noqa: PLC0415 - as above

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._turn, args=(self._loop,), name="coroutines", daemon=True)
                self._thread.start()
            return self._loop

    @staticmethod
    def _turn(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    def stop(self, seconds: float) -> None:
        """Cancel what still runs, wait for it at most `seconds`, and end the loop."""
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
            return  # a handler holds the loop; it goes with the process
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
