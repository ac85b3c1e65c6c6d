"""`Work`: what zot is doing, one thing at a time, and what waits behind it. `Doing`: the words for it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from zot_agent.host import Host
from zot_agent.ui.shell_escape import Escape, Ran, ShellEscape, with_output
from zot_core.aio import spawn
from zot_core.events import (
    AgentEvent,
    AssistantStart,
    CompactStart,
    Done,
    ReasoningDelta,
    RunEnd,
    TextDelta,
    ToolOutput,
    ToolStart,
    ToolUseStart,
    TurnStart,
    UserMessage,
)
from zot_core.run import Run
from zot_provider.messages import ImageBlock

THINKING = "thinking"
ASKING = "waiting for you"
"""While a person is asked about a call."""

_LABELS: dict[type[AgentEvent], str] = {
    TurnStart: THINKING,
    AssistantStart: THINKING,
    ReasoningDelta: THINKING,
    TextDelta: "answering",
    CompactStart: "summarising the conversation",
}


@dataclass(slots=True)
class Waiting:
    """A prompt that waits: as it was typed, and as it is sent; or a shell command, of which only the output is sent."""

    typed: str
    text: str
    images: Sequence[ImageBlock] = field(default=())
    escape: Escape | None = None


class Work:
    """Runs prompts and shell commands one after the other. `changed` is called when something begins, ends or waits;
    `ended` with how a run went; `runs` with a shell command that begins, `printed` with its output, and `ran` when it
    has ended."""

    def __init__(
        self,
        host: Host,
        *,
        changed: Callable[[], None],
        ended: Callable[[RunEnd], None],
        runs: Callable[[Escape], None],
        printed: Callable[[str], None],
        ran: Callable[[Ran], None],
    ) -> None:
        self._host = host
        self._changed, self._ended, self._runs, self._printed, self._ran = changed, ended, runs, printed, ran
        self._run: Run | None = None
        self._shell: ShellEscape | None = None
        self._output: list[Ran] = []
        self.waiting: list[Waiting] = []
        """Prompts for when what is going on has ended."""
        self.steered: list[str] = []
        """What was said into the work and has not reached the model."""
        self.prompt = ""
        """The prompt at hand, as it was typed."""
        self._idle: asyncio.Future[None] | None = None
        host.events.add(self._watch)

    @property
    def busy(self) -> bool:
        """Whether something is going on."""
        return self._run is not None or self._shell is not None

    def submit(self, prompt: Waiting) -> None:
        """Send a prompt, or have it wait."""
        self.waiting.append(prompt)
        if not self.busy:
            self._next()
        self._changed()

    def compact(self, instructions: str = "") -> Run:
        """Compact the conversation. Raises `Busy`."""
        self.prompt = ""
        self._run = self._host.runtime.compact(instructions)
        self._changed()
        return self._run

    async def _run_shell(self, shell: ShellEscape) -> None:
        try:
            result = await shell.run()
            self._output.append(result)
            self._ran(result)
        finally:
            self._shell = None
            self._go_on()

    def steer(self, text: str) -> bool:
        """Say something to the model in the middle of its work; whether it works."""
        if self._run is None or not self.prompt:
            return False
        self._host.runtime.steer(text)
        self.steered.append(text)
        self._changed()
        return True

    def stop(self) -> list[Waiting]:
        """Stop what is going on; what waited, or was not yet heard, is given back and does not run."""
        unheard = [message.text for message in self._host.runtime.agent.inbox.take_all()]
        taken, self.waiting = [*(Waiting(text, text) for text in unheard), *self.waiting], []
        self.steered.clear()
        if self._shell is not None:
            self._shell.stop()
        if self._run is not None:
            self._run.cancel()
        self._changed()
        return taken

    async def idle(self) -> None:
        """Return when nothing goes on."""
        while self.busy:
            self._idle = self._idle or asyncio.get_running_loop().create_future()
            await asyncio.shield(self._idle)

    def recall(self) -> Waiting | None:
        """Take back the prompt that was to run last."""
        taken = self.waiting.pop() if self.waiting else None
        self._changed()
        return taken

    def _next(self) -> None:
        if not self.waiting or self.busy:
            return
        prompt = self.waiting.pop(0)
        self.prompt = prompt.typed
        if prompt.escape is not None:
            self._runs(prompt.escape)
            self._shell = ShellEscape(prompt.escape, self._host.runtime.agent.context, self._printed)
            spawn(self._run_shell(self._shell), "shell escape")
            return
        output, self._output = self._output, []
        text, meta = with_output(output, prompt.text)
        self._run = self._host.runtime.prompt(text, prompt.images, meta)

    def _watch(self, event: AgentEvent) -> None:
        if isinstance(event, UserMessage) and event.message.text in self.steered:
            self.steered.remove(event.message.text)
            self._changed()
        if isinstance(event, Done) and self._run is not None:
            self._run.task.add_done_callback(lambda _: self._over(event.reason))

    def _over(self, end: RunEnd) -> None:
        self._run = None
        self._ended(end)
        self._go_on()

    def _go_on(self) -> None:
        self._next()
        if not self.busy and self._idle is not None:
            self._idle.set_result(None)
            self._idle = None
        self._changed()


class Doing:
    """What the working row says, from one event of a run to the next. Text comes in many pieces: an event that changes
    nothing costs next to nothing."""

    def __init__(self) -> None:
        self.label = ""
        """What is being done; empty between runs."""
        self._running: dict[str, str] = {}

    def follow(self, event: AgentEvent) -> bool:
        """Take an event of a run; whether `label` is another one now."""
        label = _LABELS.get(type(event)) or self._of_calls(event)
        if label == self.label:
            return False
        self.label = label
        return True

    def _of_calls(self, event: AgentEvent) -> str:
        """Calls that run side by side are counted; between two calls the label stays."""
        match event:
            case ToolUseStart(_, name):
                return f"calling {name}"
            case ToolStart(id, name):
                self._running[id] = name
            case ToolOutput(id):
                self._running.pop(id, None)
            case Done():
                self._running.clear()
                return ""
            case _:
                return self.label
        names = list(self._running.values())
        if not names:
            return self.label
        return f"running {names[0]}" if len(names) == 1 else f"running {len(names)} calls"
