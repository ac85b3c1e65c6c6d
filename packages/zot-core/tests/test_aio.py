import asyncio
import gc
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_core.aio import GivenUp, alive, being_cancelled, cancel_soon, finish, in_thread, is_async, spawn


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


async def test_a_task_that_nobody_holds_lives_until_it_ends() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        ended.set()

    spawn(work(), "work")
    gc.collect()
    async with asyncio.timeout(PATIENCE):
        await ended.wait()


async def test_a_task_has_its_name() -> None:
    task = spawn(asyncio.sleep(0), "a name")
    await task
    assert task.get_name() == "a name"


async def test_a_failure_that_nobody_awaits_is_reported() -> None:
    reported: list[dict[str, Any]] = []

    async def fail() -> None:
        raise ValueError("lost")

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
    spawn(fail(), "failing")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()
    assert [str(context["exception"]) for context in reported] == ["lost"]


def test_outside_of_a_loop_nothing_is_left_behind() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        spawn(forever(), "never")


def test_a_task_is_alive_until_it_ends_or_its_loop_does() -> None:
    loop = asyncio.new_event_loop()

    async def main() -> tuple[asyncio.Task[None], asyncio.Task[None]]:
        ended = spawn(asyncio.sleep(0), "ended")
        await ended
        return ended, spawn(forever(), "left")

    ended, left = loop.run_until_complete(main())
    assert not alive(ended)
    assert alive(left)
    loop.close()
    assert not alive(left)
    cancel_soon(left)


async def test_a_task_cancelled_at_once_has_begun() -> None:
    begun: list[str] = []

    async def work() -> None:
        begun.append("yes")
        await forever()

    task = spawn(work(), "work")
    cancel_soon(task)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert begun == ["yes"]


async def test_a_task_that_cancels_itself_with_its_last_word_still_has_its_result() -> None:
    async def work() -> str:
        cancel_soon(tasks[0])
        return "result"

    tasks: list[asyncio.Task[str]] = []
    tasks.append(spawn(work(), "work"))
    assert await tasks[0] == "result"


async def test_a_task_can_be_cancelled_from_another_thread() -> None:
    task = spawn(forever(), "work")
    thread = threading.Thread(target=cancel_soon, args=(task,))
    thread.start()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncio.CancelledError):
            await task
    thread.join()


async def test_finishing_outlasts_every_cancel_and_passes_it_on() -> None:
    cancels: list[str] = []
    may_end = asyncio.Event()
    work = spawn(may_end.wait(), "work")
    waiting = spawn(finish(work, lambda: cancels.append("x")), "waiting")
    for _ in range(2):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()
    may_end.set()
    assert await waiting is True
    assert cancels == ["x", "x"]


async def test_finish_returns_false_if_the_caller_was_not_cancelled() -> None:
    assert await finish(spawn(asyncio.sleep(0), "work")) is False


async def test_a_cancellation_is_distinguished_from_a_failure() -> None:
    seen: list[bool] = []

    async def work(*, fails: bool) -> None:
        try:
            if fails:
                raise asyncio.CancelledError
            await forever()
        except asyncio.CancelledError:
            seen.append(being_cancelled())

    await work(fails=True)
    task = spawn(work(fails=False), "work")
    await asyncio.sleep(0)
    task.cancel()
    await task
    assert seen == [False, True]


async def test_work_in_a_thread_learns_that_nobody_waits_for_it() -> None:
    began, ended = threading.Event(), threading.Event()

    def work(check: Callable[[], None]) -> None:
        try:
            while True:
                check()
                began.set()
        except GivenUp:
            ended.set()

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(began.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 60)


async def test_work_in_a_thread_has_a_result() -> None:
    assert await in_thread(lambda check: check() or threading.current_thread()) is not threading.current_thread()


async def _waits() -> None: ...


class _Waiter:
    async def __call__(self) -> None: ...

    async def method(self) -> None: ...


@pytest.mark.parametrize(
    "function", [_waits, _Waiter(), _Waiter().method, partial(_waits), partial(partial(_Waiter().method))]
)
def test_async_functions_are_recognised_in_all_their_forms(function: Callable[..., object]) -> None:
    assert is_async(function)


@pytest.mark.parametrize("function", [print, len, [].append, partial(print, 1), Path, lambda: None])
def test_plain_functions_are_not_async(function: Callable[..., object]) -> None:
    assert not is_async(function)
