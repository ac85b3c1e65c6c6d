import asyncio
import os
import signal
import threading
import time

import pytest

from zot_ext.runtime.threads import Lane, LoopThread, SelfPipe, Wakeup, Workers


def test_a_bell_that_was_rung_before_the_wait_does_not_hold_it_up() -> None:
    bell = Wakeup()
    bell.ring()
    bell.ring()
    bell.wait()
    bell.wait(0)
    bell.wait(-1)


def test_a_door_bell_that_was_rung_before_the_wait_does_not_hold_it_up() -> None:
    bell = SelfPipe()
    bell.ring()
    bell.ring()
    bell.wait()
    bell.wait(0)
    bell.wait(-1)
    for _ in range(100_000):  # more than a pipe holds
        bell.ring()
    bell.wait()
    bell.close()
    bell.ring()


def test_a_signal_rings_a_door_bell_whatever_the_main_thread_does() -> None:
    bell = SelfPipe()
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    wakeup = signal.set_wakeup_fd(descriptor := bell.for_signals())
    try:
        signal.raise_signal(signal.SIGUSR1)  # before anybody waits
        bell.wait()
    finally:
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGUSR1, before)
        bell.close()
    os.write(descriptor, b"late")  # still open: a signal may come at any time
    os.close(descriptor)
    os.close(bell._listening)


def test_a_lane_keeps_the_order_and_can_rest_in_between() -> None:
    lane, seen = Lane("test"), list[int]()
    for start in range(0, 300, 100):
        done = threading.Event()
        for number in range(start, start + 100):
            lane.put(lambda number=number: seen.append(number))  # type: ignore[misc]
        lane.put(done.set)
        assert done.wait(10)
    assert seen == list(range(300))


def test_jobs_that_have_not_begun_can_be_forgotten() -> None:
    lane, seen = Lane("test"), list[int]()
    begun, go, done = threading.Event(), threading.Event(), threading.Event()
    lane.put(lambda: (begun.set(), go.wait(10), None)[2])
    assert begun.wait(10)
    lane.put(lambda: seen.append(1))
    lane.clear()
    lane.put(done.set)
    go.set()
    assert done.wait(10)
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
    assert begun.wait(10)
    loop.stop(5)
    thread.join(10)
    assert len(outcome) == 1


def test_workers_do_jobs_side_by_side() -> None:
    workers, meeting, done = Workers(), threading.Barrier(3), threading.Semaphore(0)

    def job() -> None:
        meeting.wait(30)
        done.release()

    for _ in range(3):
        workers.put(job)

    assert all(done.acquire(timeout=30) for _ in range(3))
    workers.stop()


def test_a_worker_that_is_done_takes_the_next_job_and_goes_when_it_is_told() -> None:
    workers, threads, done = Workers(), list[threading.Thread](), threading.Semaphore(0)

    def job() -> None:
        threads.append(threading.current_thread())
        done.release()

    for _ in range(5):
        workers.put(job)
        assert done.acquire(timeout=30)
        while not workers._waiting:  # the thread is on its way back
            time.sleep(0.001)
    workers.stop()
    threads[0].join(30)

    assert len(set(threads)) == 1
    assert not threads[0].is_alive()


def test_no_more_workers_wait_than_are_to_be_kept() -> None:
    workers, gate, threads = Workers(kept=1), threading.Event(), list[threading.Thread]()

    def job() -> None:
        threads.append(threading.current_thread())
        gate.wait(30)

    for _ in range(4):
        workers.put(job)
    while len(threads) < 4:
        time.sleep(0.001)
    gate.set()
    while sum(thread.is_alive() for thread in threads) > 1:
        time.sleep(0.001)
    workers.stop()
    for thread in threads:
        thread.join(30)

    assert not any(thread.is_alive() for thread in threads)
