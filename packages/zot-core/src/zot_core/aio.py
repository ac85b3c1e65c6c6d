"""Start, cancel and await asyncio tasks, and work in threads."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()

_CO_COROUTINE = 0x80
"""`inspect.CO_COROUTINE`: the flag in the code of an async function. Importing `inspect` would delay start-up."""


def spawn(work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
    """Start `work` as a task called `name`. Raises RuntimeError outside an event loop.

    The event loop keeps only weak references, so an unreferenced task may be collected before it ends. This function
    keeps a reference until the task ends. An exception that is never retrieved goes to the loop's exception handler.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        work.close()
        raise
    task = loop.create_task(work, name=name)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task


def is_async(function: Callable[..., object]) -> bool:
    """Return whether a call of `function` returns a coroutine; also for a method, a partial, an object to be called."""
    while isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return bool(code and code.co_flags & _CO_COROUTINE)


def alive(task: asyncio.Task[Any]) -> bool:
    """Return whether `task` can still run: neither it nor its event loop has ended."""
    return not task.done() and not task.get_loop().is_closed()


def cancel_soon(task: asyncio.Task[Any]) -> None:
    """Cancel `task` in the next iteration of its loop. Does nothing if the task or the loop has ended.

    Unlike `task.cancel()`, this may be called from any thread, and from inside the task: a task that calls it as its
    last act does not end as cancelled. A task that was just created has started by then, so its `finally` blocks run.
    """
    with suppress(RuntimeError):  # the loop is closed
        task.get_loop().call_soon_threadsafe(task.cancel)


async def finish(task: asyncio.Task[Any], cancel: Callable[[], None] | None = None) -> bool:
    """Wait until `task` has ended, even if the caller is cancelled. Return whether the caller was cancelled.

    `cancel` is called every time the caller is cancelled.
    """
    cancelled = False
    while alive(task):
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
            if cancel is not None:
                cancel()
    return cancelled


class GivenUp(Exception):
    """Nobody waits any more for work in a thread."""


async def in_thread(work: Callable[[Callable[[], None]], T]) -> T:
    """Run `work` in a thread. Its argument raises `GivenUp` once the caller is cancelled.

    Work that may take long calls it often: nothing else ends a thread, and the process waits for its threads at exit.
    """
    given_up = threading.Event()

    def check() -> None:
        if given_up.is_set():
            raise GivenUp

    try:
        return await asyncio.to_thread(work, check)
    except asyncio.CancelledError:
        given_up.set()
        raise


def being_cancelled() -> bool:
    """Return whether a `CancelledError` being handled cancels the current task, not only something it awaits."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
