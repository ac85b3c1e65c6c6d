"""`BlockingRuntime`: a `Runtime` for programs without an event loop, and for those inside of one, such as notebooks.

```python
with BlockingRuntime("anthropic/claude-sonnet-4-5", cwd=".") as rt:
    print(rt.ask("what does this project do?"))
```
"""

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

from zot_core.agent.run import Run
from zot_core.aio import spawn
from zot_core.errors import Closed
from zot_core.events import AgentEvent
from zot_core.runtime.answer import RunResult
from zot_core.runtime.runtime import Runtime
from zot_provider.messages import ImageBlock

P = ParamSpec("P")
T = TypeVar("T")

_Events: TypeAlias = "SimpleQueue[AgentEvent | None]"
"""The events of a run, None after the last one."""


def _same_parameters_as(
    function: Callable[Concatenate[Any, P], None],
) -> Callable[[Any], Callable[Concatenate[Any, P], None]]:
    """Give a function the signature of another one."""
    return lambda other: functools.update_wrapper(other, function, assigned=())  # and nothing else of it


class BlockingRuntime:
    """A `Runtime` that works in a thread of its own; its methods wait for it.

    Ctrl+C while they wait cancels the run, waits for its end, so that nothing is left running, and goes on as the usual
    KeyboardInterrupt. Hooks and async tools run in the other thread.
    """

    @_same_parameters_as(Runtime.__init__)
    def __init__(self, *args: Any, **options: Any) -> None:
        """Takes what `Runtime` takes, and raises what it raises."""
        self.runtime = Runtime(*args, **options)
        """The runtime itself, for `hooks`, `messages`, `usage`, `steer`; what is async belongs to the other thread."""
        self._ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        # A daemon: a program that forgets to close still ends.
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="zot", daemon=True)
        self._lock = threading.Lock()  # what begins has begun before the loop is told to stop
        self._closed = False
        self._thread.start()

    @overload
    def ask(self, text: str, images: Iterable[ImageBlock] = ()) -> RunResult: ...

    @overload
    def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T]) -> T: ...

    @overload
    def ask(self, text: str, images: Iterable[ImageBlock] = (), *, returns: Mapping[str, Any]) -> Any: ...

    def ask(
        self, text: str, images: Iterable[ImageBlock] = (), *, returns: type[T] | Mapping[str, Any] | None = None
    ) -> RunResult | T | Any:
        """See `Runtime.ask`."""
        if returns is None:
            return self._wait(lambda: self.runtime.ask(text, images))
        return self._wait(lambda: self.runtime.ask(text, images, returns=returns))

    def prompt(self, text: str, images: Iterable[ImageBlock] = ()) -> Generator[AgentEvent, None, None]:
        """Answer `text`; iterate over the events. See `Runtime.prompt`: leaving the loop cancels the run."""
        events: _Events = SimpleQueue()
        return _iterate(self._wait(lambda: self._begin(text, images, events)), events)

    def cancel(self) -> None:
        """Stop the prompt at hand, from any thread. Harmless when idle."""
        self.runtime.cancel()

    def close(self) -> None:
        """See `Runtime.close`; the thread ends too. Other threads that wait for an answer are told."""
        self._check_thread()
        with self._lock:
            first, self._closed = not self._closed, True
        if first:
            loop, stop = self._ready.result()
            try:
                _ThreadCall(loop, self.runtime.close).result()
            finally:
                loop.call_soon_threadsafe(stop.set)
        self._thread.join()

    def __enter__(self) -> "BlockingRuntime":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def _serve(self) -> None:
        stop = asyncio.Event()
        self._ready.set_result((asyncio.get_running_loop(), stop))
        await stop.wait()

    async def _begin(self, text: str, images: Iterable[ImageBlock], events: _Events) -> Run:
        run = self.runtime.prompt(text, images)
        spawn(_forward(aiter(run), events), "events for another thread")
        return run

    def _wait(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the work gives in the other thread. An interrupt cancels it, waits for its end and goes on."""
        self._check_thread()
        loop, _ = self._ready.result()
        with self._lock:
            if self._closed:
                raise Closed("the runtime is closed")
            begun = _ThreadCall(loop, work)
        return begun.result()

    def _check_thread(self) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a hook or an async tool would wait for itself; use `runtime`, which is async")


class _ThreadCall(Generic[T]):
    """Something to be done in the event loop of another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._loop = loop
        self._answer: Future[T] = Future()
        self._task: asyncio.Task[T] | None = None
        loop.call_soon_threadsafe(self._begin, work)

    def result(self) -> T:
        """What came of it. Whatever interrupts the waiting cancels the work, and goes on when that has ended."""
        try:
            return self._answer.result()
        except BaseException:
            if not self._answer.done():
                with suppress(RuntimeError):  # the loop has ended meanwhile
                    self._loop.call_soon_threadsafe(self._cancel)
                wait([self._answer])
            raise

    def _begin(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._task = spawn(work(), "work for another thread")
        self._task.add_done_callback(self._deliver)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _deliver(self, task: "asyncio.Task[T]") -> None:
        if task.cancelled():
            self._answer.set_exception(Closed("the runtime was closed meanwhile"))
        elif error := task.exception():
            self._answer.set_exception(error)
        else:
            self._answer.set_result(task.result())


async def _forward(run: AsyncIterator[AgentEvent], events: _Events) -> None:
    try:
        async for event in run:
            events.put(event)
    finally:
        events.put(None)


def _iterate(run: Run, events: _Events) -> Generator[AgentEvent, None, None]:
    try:
        while (event := events.get()) is not None:
            yield event
    except KeyboardInterrupt:
        run.cancel()
        while events.get() is not None:
            pass
        raise
    finally:
        run.cancel()
