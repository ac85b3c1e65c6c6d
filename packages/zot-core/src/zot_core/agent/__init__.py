"""`Agent`: a model, its tools and its history; runs are controlled with `start`, `cancel`, `steer`, `follow_up`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from zot_core.agent.loop import answer, end_run
from zot_core.agent.run import Run
from zot_core.agent.state import AgentState
from zot_core.clock import timestamp
from zot_core.errors import Busy
from zot_core.events import RunEnd
from zot_provider.messages import Block, ImageBlock, Message, TextBlock
from zot_provider.usage import Usage


class Agent(AgentState):
    """Answers the messages of one conversation. Runs do not overlap; `hooks.event` reports what happens.

    `tools`, `model`, `client` and `reasoning` may be changed between runs, followed by a call of `refresh`.
    """

    @property
    def busy(self) -> bool:
        """Whether a run is in progress; true until its `done`."""
        return self.current is not None and self.current.end is None and self.current.alive

    @property
    def changeable(self) -> bool:
        """Whether the session, the model and the tools may change now."""
        return not self.busy or (self.current is not None and self.current.open_to_changes)

    def start(self, *messages: Message) -> Run:
        """Start a run that answers `messages`. Raises `Busy` during another run, unless that was cancelled: then the
        new run starts when the other one has ended."""
        return self.begin(lambda: answer(self, list(messages)))

    def begin(self, work: Callable[[], Coroutine[Any, Any, RunEnd]], run: Run | None = None) -> Run:
        """Start a run of any work, which must end with `end_run` and must not raise. `run` is its handle, if it was
        created already. Raises `Busy` as `start` does."""
        previous = self.current
        if previous is not None and self.busy and not previous.cancelled:
            raise Busy("the agent is busy with another prompt; wait for it, or cancel it")
        run = self.current = run or Run(self.hooks.event)
        run.begin(self._start_after(run, previous, work))
        return run

    async def _start_after(
        self, run: Run, previous: Run | None, work: Callable[[], Coroutine[Any, Any, RunEnd]]
    ) -> RunEnd:
        stopped = previous is not None and await previous.finished()
        try:
            await asyncio.sleep(0)  # lets a task created together with the run subscribe before the first event
        except asyncio.CancelledError:
            run.cancel_again()  # cancels the work, which has started by then
        run.started = True
        return end_run(self, run.cancel_reason) if stopped else await work()

    async def run(self, *messages: Message) -> RunEnd:
        """Answer `messages` and return how the run ended. Cancelling the caller cancels the run and waits for its
        end."""
        run = self.start(*messages)
        if await run.finished(run.cancel):
            raise asyncio.CancelledError
        return await run

    def cancel(self, reason: RunEnd = "aborted") -> None:
        """Stop the current run, if there is one: see `Run.cancel`."""
        if self.current is not None:
            self.current.cancel(reason)

    def steer(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Add a user message to the current run, before its next model call."""
        self.inbox.steer(user_message(text, images))

    def follow_up(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Add a user message to the current run, once its prompt is answered."""
        self.inbox.follow_up(user_message(text, images))

    def start_over(self, messages: Iterable[Message], usage: Usage) -> None:
        """Continue with another conversation: replace the messages and the usage, and drop queued messages."""
        self.history.reset(messages)
        self.inbox.take_all()
        self.failures.clear()
        self.place.forget()
        self.usage = usage
        self.refresh()

    def refresh(self) -> None:
        """Discard the system prompt that hooks returned; they are called again before the next model call."""
        self.system_prompt = None


def user_message(
    text: str, images: Iterable[ImageBlock] = (), *, display_text: str | None = None,
    hidden: str = "", commands: int = 0, files: int = 0,
) -> Message:  # fmt: skip
    """Create a user message with the current time; the other options are fields of `Message`."""
    content: list[Block] = [*([TextBlock(text)] if text else ()), *images]
    return Message(
        "user", content, timestamp(), display_text=display_text, hidden=hidden, commands=commands, files=files
    )
