"""`in_thread`: calls of libraries that block, with a limit; `one_line`: their errors for a person."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from zot_provider.errors import ResponseTimeout

T = TypeVar("T")


async def in_thread(work: Callable[[], T], limit: float, what: str) -> T:
    """Return what `work` returns in a thread. A thread that hangs is left alone, and ends with the process.

    Raises what `work` raises, and `ResponseTimeout` after `limit` seconds; `what` names the work in its text.
    """
    answer: Future[T] = Future()
    answer.set_running_or_notify_cancel()  # the thread cannot be cancelled

    def call() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001  it is raised where the answer is awaited
            answer.set_exception(error)

    threading.Thread(target=call, name="account", daemon=True).start()
    try:
        return await asyncio.wait_for(asyncio.wrap_future(answer), limit)
    except TimeoutError:
        raise ResponseTimeout(f"{what} took more than {limit:g} s") from None


def one_line(error: Exception) -> str:
    """Return the first sentence or line of an error, at most 300 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:299] + "…"
