"""`BlockingAgents`: `Subagents` for synchronous code."""

from collections.abc import Callable, Coroutine, Generator, Iterable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from zot_core.errors import Closed
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.subagent import AgentResult

T = TypeVar("T")


class _Wait(Protocol):
    """Runs async work in the thread of the runtime, and waits for its result."""

    def __call__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T: ...


class BlockingAgents:
    """The sub-agents of a `BlockingRuntime`. Limits are set at `rt.runtime.agents.limits`."""

    def __init__(self, runtime: Runtime, wait: _Wait) -> None:
        self._runtime, self._wait = runtime, wait

    def run(self, task: str, **options: Any) -> AgentResult:
        return self._wait(lambda: self._runtime.agents.run(task, **options))

    def gather(self, tasks: Iterable[str], **options: Any) -> list[AgentResult]:
        return self._wait(lambda: self._runtime.agents.gather(tasks, **options))

    def map(
        self, task: Callable[[T], str], items: Iterable[T], **options: Any
    ) -> Generator[tuple[T, AgentResult], None, None]:
        """See `Subagents.map`: leaving the loop stops what runs. `task` and `items` run in the runtime's thread."""
        answers = self._runtime.agents.map(task, items, **options)

        async def following() -> tuple[T, AgentResult] | None:
            return await anext(answers, None)

        try:
            while (each := self._wait(following)) is not None:
                yield each
        finally:
            with suppress(Closed):  # which has stopped them
                self._wait(answers.aclose)
