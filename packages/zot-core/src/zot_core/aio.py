"""Tasks: the one way to start one, to cancel one, and to see one to its end."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()


def spawn(work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
    """Start `work` as a task called `name`. RuntimeError outside of an event loop.

    The event loop itself keeps only weak references: a task that nobody holds may vanish in the middle. This one is
    held until it ends. A failure that nobody awaits is reported through the loop's exception handler.
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


def alive(task: asyncio.Task[Any]) -> bool:
    """Whether `task` will go on: it has not ended, and neither has its loop."""
    return not task.done() and not task.get_loop().is_closed()


def cancel_soon(task: asyncio.Task[Any]) -> None:
    """Cancel `task` when its loop comes round; harmless when either is over.

    Unlike `task.cancel()` it may be called from any thread, and from inside of the task, which could otherwise end as
    cancelled after its last word; and a task just started has begun by then, else nothing of it would run, not even
    what it does at its end.
    """
    with suppress(RuntimeError):  # the loop is closed
        task.get_loop().call_soon_threadsafe(task.cancel)


async def finish(task: asyncio.Task[Any], cancel: Callable[[], None] | None = None) -> bool:
    """Wait until `task` has ended, however often the caller is cancelled meanwhile; whether it was.

    `cancel` is called each time that happens.
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


def being_cancelled() -> bool:
    """Whether a `CancelledError` at hand is meant for the task that runs, and not a failure of what it awaits."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
