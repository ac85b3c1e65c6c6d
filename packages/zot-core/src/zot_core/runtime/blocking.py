"""`BlockingRuntime`: a `Runtime` for synchronous code, also inside a running event loop, as in notebooks.

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
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

from zot_core.agent.run import Run
from zot_core.aio import spawn
from zot_core.errors import Closed
from zot_core.events import AgentEvent
from zot_core.runtime.answer import RunResult
from zot_core.runtime.runtime import Runtime
from zot_provider.messages import ImageBlock

if TYPE_CHECKING:
    from zot_core.runtime.subagents.blocking import BlockingAgents

P = ParamSpec("P")
T = TypeVar("T")

_Events: TypeAlias = "SimpleQueue[AgentEvent | None]"
"""The events of a run, None after the last one."""


def _same_parameters_as(
    function: Callable[Concatenate[Any, P], None],
) -> Callable[[Any], Callable[Concatenate[Any, P], None]]:
    """Decorator that gives a function the parameters of `function`, and nothing else of it."""
    return lambda other: functools.update_wrapper(other, function, assigned=())


class BlockingRuntime:
    """A `Runtime` in its own thread, with methods that block.

    Ctrl+C in a blocking method cancels the run, waits for its end and then raises KeyboardInterrupt as usual. Hooks and
    async tools run in the runtime's thread.
    """

    @_same_parameters_as(Runtime.__init__)
    def __init__(self, *args: Any, **options: Any) -> None:
        """Accepts the arguments of `Runtime`, and raises the same errors."""
        self.runtime = Runtime(*args, **options)
        """The underlying runtime, for `hooks`, `messages`, `usage`, `steer`. Its async methods belong to its thread."""
        self._ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        # A daemon thread: a program that forgets to close the runtime still ends.
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="zot", daemon=True)
        self._lock = threading.Lock()  # no call starts after `close` has asked the loop to stop
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
        if returns is None:
            return self._wait(lambda: self.runtime.ask(text, images))
        return self._wait(lambda: self.runtime.ask(text, images, returns=returns))

    def prompt(self, text: str, images: Iterable[ImageBlock] = ()) -> Generator[AgentEvent, None, None]:
        """Answer `text`; iterate over the events. See `Runtime.prompt`: leaving the loop cancels the run."""
        events: _Events = SimpleQueue()
        return _iterate(self._wait(lambda: self._begin(text, images, events)), events)

    @functools.cached_property
    def agents(self) -> "BlockingAgents":
        """The sub-agents: `rt.agents.run("Which tests are slow?")`."""
        from zot_core.runtime.subagents.blocking import BlockingAgents  # noqa: PLC0415  many runs have none

        return BlockingAgents(self.runtime, self._wait)

    def cancel(self) -> None:
        """Stop the current prompt, from any thread. Does nothing when idle."""
        self.runtime.cancel()

    def close(self) -> None:
        """See `Runtime.close`; the thread ends too. Calls waiting in other threads raise `Closed`."""
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
        """Run `work` in the runtime's thread and return its result. An interrupt cancels it, waits for its end and is
        raised again."""
        self._check_thread()
        loop, _ = self._ready.result()
        with self._lock:
            if self._closed:
                raise Closed("the runtime is closed")
            call = _ThreadCall(loop, work)
        return call.result()

    def _check_thread(self) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a hook or an async tool cannot block on its own thread; use `runtime`, which is async")


class _ThreadCall(Generic[T]):
    """A coroutine run in the event loop of another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._loop = loop
        self._answer: Future[T] = Future()
        self._task: asyncio.Task[T] | None = None
        loop.call_soon_threadsafe(self._begin, work)

    def result(self) -> T:
        """Wait for the result. An exception in the waiting thread cancels the work, and is raised when that ended."""
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
            self._answer.set_exception(Closed("the runtime was closed during the call"))
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
