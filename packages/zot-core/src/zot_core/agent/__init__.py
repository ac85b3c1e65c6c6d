"""`Agent`: a model, its tools and their conversation, with the verbs `run`, `cancel`, `steer`, `follow_up`."""

import asyncio
from collections.abc import Iterable, Mapping

from zot_core.agent.inbox import Inbox
from zot_core.agent.loop import run
from zot_core.agent.transcript import Transcript
from zot_core.aio import alive, cancel_soon, finish, spawn
from zot_core.clock import timestamp
from zot_core.errors import Busy
from zot_core.events import RunEnd
from zot_core.hooks import Hooks
from zot_core.tools.base import Tool
from zot_core.tools.context import ToolContext
from zot_provider.client import Client
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
        self.transcript = Transcript(messages, self.hooks.message)
        self.inbox = Inbox()
        self.usage = usage or Usage()
        self.cache_key = cache_key
        self.cancel_reason: RunEnd = "aborted"
        self.emit = self.hooks.event.tell
        self._task: asyncio.Task[RunEnd] | None = None
        self._cancelled = False

    @property
    def busy(self) -> bool:
        """Whether a run is going on; true until its `done` has been told."""
        return self._task is not None and alive(self._task)

    def start(self, *messages: Message) -> asyncio.Task[RunEnd]:
        """Begin a run that answers `messages`, as a task that never raises. Raises `Busy` during another run."""
        if self.busy:
            raise Busy("the agent is busy with another prompt; wait for it, or cancel it")
        self.cancel_reason = "aborted"
        self._cancelled = False
        self._task = spawn(run(self, list(messages)), "agent run")
        return self._task

    async def run(self, *messages: Message) -> RunEnd:
        """Run to the end; how it ended. Cancelling the caller cancels the run and waits for it to unwind."""
        task = self.start(*messages)
        if await finish(task, self.cancel):
            raise asyncio.CancelledError
        return task.result()

    def cancel(self, reason: RunEnd = "aborted") -> None:
        """Stop the run: the stream is closed, tools are ended, what was said is kept. Harmless when idle.

        It happens when the event loop comes round; a second one changes nothing. May be called from any thread.
        """
        task = self._task
        if task is not None and alive(task) and not self._cancelled:
            self._cancelled = True
            self.cancel_reason = reason
            cancel_soon(task)

    def steer(self, text: str) -> None:
        """Say something with the next model call of the running turn."""
        self.inbox.steer(user_message(text))

    def follow_up(self, text: str) -> None:
        """Say something once the work at hand is done."""
        self.inbox.follow_up(user_message(text))

    def refresh(self) -> None:
        """Forget the system prompt that hooks gave; they are asked again before the next model call."""
        self.system_prompt = None


def user_message(text: str, images: Iterable[ImageBlock] = (), meta: Mapping[str, str] | None = None) -> Message:
    """A user's message, timed now; `meta` as in `Message`."""
    content: list[Block] = [TextBlock(text)] if text else []
    return Message("user", [*content, *images], timestamp(), dict(meta or {}))
