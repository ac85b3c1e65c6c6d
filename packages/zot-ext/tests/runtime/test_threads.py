import asyncio
import os
import signal
import threading
import time

import pytest
from waiting import PATIENCE

from zot_ext.runtime.threads import LoopThread, RunningJobs, SelfPipe, SerialQueue, ThreadPool, Wakeup


def test_a_wakeup_before_the_wait_ends_the_wait_at_once() -> None:
    wakeup = Wakeup()
    wakeup.wake()
    wakeup.wake()
    wakeup.wait()
    wakeup.wait(0)
    wakeup.wait(-1)


def test_a_self_pipe_woken_before_the_wait_ends_the_wait_at_once() -> None:
    wakeup = SelfPipe()
    wakeup.wake()
    wakeup.wake()
    wakeup.wait()
    wakeup.wait(0)
    wakeup.wait(-1)
    for _ in range(100_000):  # more than a pipe holds
        wakeup.wake()
    wakeup.wait()
    wakeup.close()
    wakeup.wake()


def test_a_signal_wakes_a_self_pipe_whatever_the_main_thread_does() -> None:
    wakeup = SelfPipe()
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    earlier = signal.set_wakeup_fd(descriptor := wakeup.signal_descriptor())
    try:
        signal.raise_signal(signal.SIGUSR1)  # before anybody waits
        wakeup.wait()
    finally:
        signal.set_wakeup_fd(earlier)
        signal.signal(signal.SIGUSR1, before)
        wakeup.close()
    os.write(descriptor, b"late")  # still open: a signal may come at any time
    os.close(descriptor)
    os.close(wakeup._read_end)


def test_a_serial_queue_keeps_the_order_and_may_be_idle_in_between() -> None:
    queue, seen = SerialQueue("test", RunningJobs(lambda: None)), list[int]()
    for start in range(0, 300, 100):
        done = threading.Event()
        for number in range(start, start + 100):
            queue.put(lambda number=number: seen.append(number))  # type: ignore[misc]
        queue.put(done.set)
        assert done.wait(PATIENCE)
    assert seen == list(range(300))


def test_jobs_that_have_not_started_can_be_dropped() -> None:
    queue, seen = SerialQueue("test", RunningJobs(lambda: None)), list[int]()
    begun, go, done = threading.Event(), threading.Event(), threading.Event()
    queue.put(lambda: (begun.set(), go.wait(PATIENCE), None)[2])
    assert begun.wait(PATIENCE)
    queue.put(lambda: seen.append(1))
    queue.clear()
    queue.put(done.set)
    go.set()
    assert done.wait(PATIENCE)
    assert seen == []


def test_coroutines_run_on_one_loop_and_raise_where_they_are_awaited() -> None:
    loop = LoopThread()

    async def running(fail: type[BaseException] | None = None) -> int:
        if fail:
            raise fail("no")
        return id(asyncio.get_running_loop())

    first = loop.run(running())
    for kind in (RuntimeError, SystemExit, KeyboardInterrupt):
        with pytest.raises(kind):
            loop.run(running(kind))
    assert loop.run(running()) == first
    loop.stop(5)


def test_a_loop_that_never_began_need_not_be_stopped() -> None:
    LoopThread().stop(0)


def test_stopping_cancels_what_still_runs() -> None:
    loop, begun, outcome = LoopThread(), threading.Event(), list[BaseException]()

    async def forever() -> None:
        begun.set()
        await asyncio.Event().wait()

    def wait() -> None:
        with pytest.raises(asyncio.CancelledError) as caught:
            loop.run(forever())
        outcome.append(caught.value)

    thread = threading.Thread(target=wait)
    thread.start()
    assert begun.wait(PATIENCE)
    loop.stop(5)
    thread.join(PATIENCE)
    assert len(outcome) == 1


def test_a_thread_pool_runs_jobs_side_by_side() -> None:
    pool, meeting, done = ThreadPool(), threading.Barrier(3), threading.Semaphore(0)

    def job() -> None:
        meeting.wait(PATIENCE)
        done.release()

    for _ in range(3):
        pool.put(job)

    assert all(done.acquire(timeout=PATIENCE) for _ in range(3))
    pool.stop()


def test_an_idle_thread_takes_the_next_job_and_ends_when_the_pool_stops() -> None:
    pool, threads, done = ThreadPool(), list[threading.Thread](), threading.Semaphore(0)

    def job() -> None:
        threads.append(threading.current_thread())
        done.release()

    for _ in range(5):
        pool.put(job)
        assert done.acquire(timeout=PATIENCE)
        while not pool._idle:  # the thread is on its way back
            time.sleep(0.001)
    pool.stop()
    threads[0].join(PATIENCE)

    assert len(set(threads)) == 1
    assert not threads[0].is_alive()


def test_a_pool_keeps_at_most_its_limit_of_idle_threads() -> None:
    pool, gate, threads = ThreadPool(max_idle=1), threading.Event(), list[threading.Thread]()

    def job() -> None:
        threads.append(threading.current_thread())
        gate.wait(PATIENCE)

    for _ in range(4):
        pool.put(job)
    while len(threads) < 4:
        time.sleep(0.001)
    gate.set()
    while sum(thread.is_alive() for thread in threads) > 1:
        time.sleep(0.001)
    pool.stop()
    for thread in threads:
        thread.join(PATIENCE)

    assert not any(thread.is_alive() for thread in threads)
