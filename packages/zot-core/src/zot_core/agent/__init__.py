"""`Agent`: a model, its tools and their conversation, with the verbs `start`, `cancel`, `steer`, `follow_up`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from zot_core.agent.history import MessageHistory
from zot_core.agent.inbox import Inbox
from zot_core.agent.loop import answer, end_run
from zot_core.agent.run import Run
from zot_core.clock import timestamp
from zot_core.errors import Busy
from zot_core.events import RunEnd
from zot_core.hooks import Hooks
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_provider.client.http import Client
from zot_provider.messages import Block, ImageBlock, Message, TextBlock
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.usage import Usage


class Agent:
    """State of one conversation. One run at a time; what happens in it is told through `hooks.event`.

    `tools`, `model`, `client` and `reasoning` may be changed between runs; `refresh` then asks the hooks for the system
    prompt again.
    """

    def __init__(
        self,
        client: Client,
        model: Model,
        *,
        tools: Iterable[Tool] = (),
        context: ToolContext,
        system: str = "",
        reasoning: Reasoning = "off",
        messages: Iterable[Message] = (),
        usage: Usage | None = None,
        hooks: Hooks | None = None,
        cache_key: str = "",
    ) -> None:
        """`context` is what tools may use; `messages` and `usage` continue an earlier conversation."""
        self.client = client
        self.model = model
        self.tools = {tool.name: tool for tool in tools}
        self.context = context
        self.system = system
        self.system_prompt: str | None = None
        self.reasoning = reasoning
        self.hooks = hooks or Hooks()
        self.history = MessageHistory(messages, self.hooks.message)
        self.inbox = Inbox()
        self.usage = usage or Usage()
        self.cache_key = cache_key
        self.emit = self.hooks.event.notify
        self.current: Run | None = None
        """The run that was begun last."""

    @property
    def busy(self) -> bool:
        """Whether a run is going on; true until its `done`."""
        return self.current is not None and self.current.end is None and self.current.alive

    def start(self, *messages: Message) -> Run:
        """Begin a run that answers `messages`. Raises `Busy` during another run, unless that was cancelled: then the
        new run begins when the other one has ended."""
        return self.begin(lambda: answer(self, list(messages)))

    def begin(self, work: Callable[[], Coroutine[Any, Any, RunEnd]], run: Run | None = None) -> Run:
        """Begin a run of any work, which must end with `end_run` and must not raise; `waiting` is its handle if it has
        one already. Raises `Busy` as `start` does."""
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
            await asyncio.sleep(0)  # a task that iterates, made together with the run, has the first event
        except asyncio.CancelledError:
            run.cancel_again()  # it is the work that is stopped, which has begun by then
        run.begun = True
        return end_run(self, run.cancel_reason) if stopped else await work()

    async def run(self, *messages: Message) -> RunEnd:
        """Run to the end; how it ended. Cancelling the caller cancels the run and waits for it to unwind."""
        run = self.start(*messages)
        if await run.finished(run.cancel):
            raise asyncio.CancelledError
        return await run

    def cancel(self, reason: RunEnd = "aborted") -> None:
        """Stop the run that is going on, if there is one: see `Run.cancel`."""
        if self.current is not None:
            self.current.cancel(reason)

    def steer(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Say something with the next model call of the running turn."""
        self.inbox.steer(user_message(text, images))

    def follow_up(self, text: str, images: Iterable[ImageBlock] = ()) -> None:
        """Say something once the running prompt is answered."""
        self.inbox.follow_up(user_message(text, images))

    def start_over(self, messages: Iterable[Message], usage: Usage) -> None:
        """Continue another conversation, from these messages and this usage."""
        self.history.reset(messages)
        self.inbox.take_all()
        self.usage = usage
        self.refresh()

    def refresh(self) -> None:
        """Forget the system prompt that hooks gave; they are asked again before the next model call."""
        self.system_prompt = None


def user_message(
    text: str, images: Iterable[ImageBlock] = (), *, display_text: str | None = None, commands: int = 0
) -> Message:
    """A user's message, timed now; `display_text` and `commands` as in `Message`."""
    content: list[Block] = [TextBlock(text)] if text else []
    return Message("user", [*content, *images], timestamp(), display_text=display_text, commands=commands)
