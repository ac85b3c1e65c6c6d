"""The one way to start a task: named, kept alive until it ends, its failure logged."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()


def spawn(work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
    """Start `work` as a task called `name`.

    The event loop itself keeps only weak references: a task that nobody holds may vanish in the middle. This one is
    held until it ends. A failure that nobody awaits is reported through the loop's exception handler.
    """
    task = asyncio.get_running_loop().create_task(work, name=name)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task
