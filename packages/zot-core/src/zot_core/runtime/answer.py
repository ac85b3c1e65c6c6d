"""`RunResult`, `RunFailed` and streamed text: the results of `Runtime.ask` and `Runtime.stream_text`."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from zot_core.agent.history import MessageHistory
from zot_core.agent.run import Run
from zot_core.events import (
    AgentEvent,
    AssistantMessage,
    AssistantStart,
    ErrorEvent,
    RunEnd,
    TextDelta,
    TurnEnd,
    TurnStart,
    UsageEvent,
)
from zot_core.hooks import Hooks, Observe
from zot_provider.errors import ZotError
from zot_provider.messages import Message
from zot_provider.record import Record
from zot_provider.usage import Usage


class RunResult(Record):
    """The answer to a prompt. `str()` returns `text`.

    `text` is the text of the last answer as the user sees it, empty if a hook hides it. `usage` counts the tokens and
    the US dollars of this run alone. `messages` are the messages that the run added to the history, the prompt first.
    `end` says how the run ended.
    """

    text: str
    usage: Usage
    messages: list[Message]
    end: RunEnd

    def __str__(self) -> str:
        return self.text


class RunFailed(ZotError):
    """A prompt was not answered: the run failed or was stopped. `result` is the partial result, `end` says how the run
    ended, `str()` why."""

    def __init__(self, text: str, result: RunResult, exit_code: int = 1) -> None:
        super().__init__(text)
        self.result = result
        self.end = result.end
        self.exit_code = exit_code


class AnswerCollector:
    """Collects the result of a run that has not started yet. `result` or `stop` must be called."""

    def __init__(self, hooks: Hooks, run: Run) -> None:
        self._run = run
        self._history = MessageHistory((), Observe())
        self._text, self._error, self._exit_code = "", "", 1
        self._usage = Usage()
        self._removers: tuple[Callable[[], None], ...] = (
            hooks.event.add(self._on_event, UsageEvent, ErrorEvent, TurnStart, AssistantMessage, TurnEnd),
            hooks.message.add(self._on_message),
        )

    def _on_message(self, message: Message) -> None:
        if self._run.started:
            self._history.append(message)

    def _on_event(self, event: AgentEvent) -> None:
        if not self._run.started:
            return
        if isinstance(event, UsageEvent):
            self._usage += event.usage
        elif isinstance(event, ErrorEvent):
            self._error, self._exit_code = event.message, event.exit_code
        elif isinstance(event, TurnStart):
            self._text = ""
        elif isinstance(event, AssistantMessage):
            self._text = event.message.text
        elif isinstance(event, TurnEnd):
            self._error = event.error

    def stop(self) -> None:
        """Remove the collector from the hooks."""
        for remove in self._removers:
            remove()

    async def result(self) -> RunResult:
        """Wait for the end of the run and return its result. Raises `RunFailed` unless the run was completed.
        Cancelling the caller cancels the run and waits for its end."""
        try:
            if await self._run.finished(self._run.cancel):
                raise asyncio.CancelledError
        finally:
            self.stop()
        end = await self._run
        result = RunResult(self._text, self._usage, self._history.messages, end)
        if end != "completed":
            raise RunFailed(self._error or f"the prompt was not answered: {end}", result, self._exit_code)
        return result


async def stream_text(run: Run, collector: AnswerCollector) -> AsyncGenerator[str, None]:
    """Yield the text of a run as it arrives: see `Runtime.stream_text`."""
    deferred = open_line = False
    try:
        async for event in run:
            if isinstance(event, AssistantStart):
                deferred = event.deferred
                if open_line:
                    yield "\n"
                open_line = False
            elif isinstance(event, TextDelta) and not deferred:
                open_line = True
                yield event.delta
            elif isinstance(event, AssistantMessage) and deferred and event.message.text:
                open_line = True
                yield event.message.text
    finally:
        collector.stop()
    await collector.result()
