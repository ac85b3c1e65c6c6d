"""`SubAgent`: one task of a sub-agent, and what can be seen of it."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from zot_core.agent import Agent
from zot_core.agent.run import Run
from zot_core.aio import cancel_soon, finish
from zot_core.checkpoints.watch import Checkpoints
from zot_core.compaction.compactor import CompactionLimits
from zot_core.confirm import Permissions
from zot_core.display import main_argument
from zot_core.events import (
    AgentEvent,
    AssistantMessage,
    AssistantStart,
    ErrorEvent,
    RunEnd,
    SubagentProgress,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolCall,
    TurnEnd,
    TurnStart,
    UsageEvent,
)
from zot_core.hooks import Hooks
from zot_core.limits import RunBudget
from zot_core.machine.worktrees import Worktree, WorktreeWork
from zot_core.runtime.workspace import Workspace
from zot_core.sessions.file import SessionFile, load
from zot_provider.messages import ImageBlock, Message
from zot_provider.record import Record
from zot_provider.usage import Usage

LINE = 200
"""Characters of the line that says what a sub-agent does."""

_TAIL = 2000


class KnownAgents(Protocol):
    """The sub-agents of a runtime."""

    @property
    def all(self) -> "list[SubAgent]": ...

    async def close(self) -> None: ...


class AgentRuntime(Protocol):
    """A `Runtime`, as far as sub-agents need one."""

    agent: Agent
    workspace: Workspace
    budget: RunBudget
    permissions: Permissions
    checkpoints: Checkpoints | None
    worktrees: str

    @property
    def agents(self) -> KnownAgents: ...

    @property
    def compaction_limits(self) -> CompactionLimits: ...

    @property
    def hooks(self) -> Hooks: ...

    @property
    def session(self) -> SessionFile | None: ...

    @property
    def messages(self) -> list[Message]: ...

    def prompt(self, text: str | Message) -> Run: ...

    async def name_model(self) -> None:
        """Let the server name its model, if it has no name yet."""

    async def release(self) -> None:
        """Stop it and release what is its own; the client, which it shares, stays open."""


class AgentResult(Record):
    """The answer of a sub-agent; `str()` returns `text`. `end` is how its run ended; `error` says why, unless it was
    completed. `usage` includes that of its own sub-agents, `session` is the path of its session file, empty without.
    `changes` are those in a worktree, None without one."""

    id: str
    text: str
    end: RunEnd
    error: str
    usage: Usage
    steps: int
    seconds: float
    session: str = ""
    changes: WorktreeWork | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def ok(self) -> bool:
        """Whether the task was completed."""
        return self.end == "completed"


class AgentProgress:
    """The sum of the events of a sub-agent: its last answer, its error, how many turns it had, what it has used, and a
    line about what it does. `report` is called with that line, at most once in `pause` seconds."""

    def __init__(self, report: Callable[[str], None], pause: float) -> None:
        self.line = "waits"
        """Its work of this moment, or the end of its answer."""
        self.text = self.error = ""
        self.steps, self.usage = 0, Usage()
        self._report, self._pause = report, pause
        self._tail, self._deferred = "", False
        self._timer: asyncio.TimerHandle | None = None
        self._began, self._took, self._reported = time.monotonic(), 0.0, 0.0

    @property
    def seconds(self) -> float:
        """How long it has worked."""
        return self._took or time.monotonic() - self._began

    def on_event(self, event: AgentEvent) -> None:
        match event:
            case TextDelta(delta):
                if not self._deferred:
                    self._tail = (self._tail + delta)[-_TAIL:]
                    self._report_soon()
            case AssistantStart(deferred):
                self._tail, self._deferred = "", deferred
            case TurnStart():
                self.steps += 1
            case AssistantMessage(message):
                if message.text.strip():
                    self.text = message.text
            case ToolCall(_, name, arguments):
                self._tail = f"{name}: {main_argument(arguments)[:LINE]}".removesuffix(": ")
                self._report_soon()
            case UsageEvent(usage):
                self.usage += usage
            case ErrorEvent(message):
                self.error = message
            case TurnEnd(_, error):
                self.error = error
            case _:
                return

    def _report_soon(self) -> None:
        """Report what it does, unless that happens anyway. Text may come much faster than anybody reads."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(self._reported + self._pause, self._report_now)

    def _report_now(self) -> None:
        self._timer = None
        self._reported = asyncio.get_running_loop().time()
        line = _last_line(self._tail)
        if line and line != self.line:
            self.line = line
            self._report(line)

    def ended(self, end: RunEnd, error: str) -> None:
        """Nothing more happens."""
        self._took = time.monotonic() - self._began
        self.error = "" if end == "completed" else error or self.error or end
        if self._timer is not None:
            self._timer.cancel()
        self.line = _last_line(self.text) if end == "completed" else self.error


class SubAgent:
    """A task that a sub-agent does. `end` is None until it has ended; then only its result and session are kept."""

    def __init__(
        self,
        start: SubagentStart,
        runtime: "AgentRuntime",
        emit: Callable[[AgentEvent], None],
        pause: float,
        on_line: Callable[[str], None] | None,
    ) -> None:
        """`emit` reports its progress, with at least `pause` seconds between two reports; `on_line` gets each line."""
        self.start, self.id = start, start.agent_id
        self.runtime: AgentRuntime | None = runtime
        self.progress = AgentProgress(self._report, pause)
        self.end: RunEnd | None = None
        self.at_end = [runtime.hooks.event.add(self.progress.on_event)]
        """Called when it has ended."""
        self.work: asyncio.Task[None] | None = None
        self.worktree: Worktree | None = None
        self.changes: WorktreeWork | None = None
        """Its changes in its worktree, once it has ended."""
        self.announced = False
        """Whether the model that started it knows its answer, if it works in the background."""
        self._emit, self._on_line = emit, on_line
        self._below: list[SubAgent] = []
        self._messages: list[Message] = []

    def below(self) -> "list[SubAgent]":
        """Return its own sub-agents."""
        return self._below if self.runtime is None else self.runtime.agents.all

    def messages(self) -> list[Message]:
        """Return its conversation, once it has ended from its session file. Reads a file: call it in a thread. Raises
        `SessionError`."""
        if self.runtime is not None:
            return self.runtime.messages
        return load(self.start.session).messages if self.start.session else self._messages

    @property
    def line(self) -> str:
        """Its work of this moment, or the end of its answer."""
        return self.progress.line

    @property
    def alive(self) -> bool:
        """Whether it works, or releases what it has used."""
        return self.work is None or not self.work.done()

    @property
    def title(self) -> str:
        """Its name for people: `agent 3 (explore)`."""
        return f"agent {self.id} ({self.start.name})" if self.start.name else f"agent {self.id}"

    @property
    def status(self) -> str:
        if self.end is None:
            return "works"
        return {"completed": "is done", "aborted": "was stopped"}.get(self.end, "failed")

    @property
    def result(self) -> AgentResult:
        """The result, as far as there is one."""
        end, done = self.end or "aborted", self.progress
        return AgentResult(
            self.id, done.text, end, done.error, done.usage, done.steps, done.seconds, self.start.session, self.changes
        )

    @property
    def branch(self) -> str:
        """The branch of its worktree; empty without one, and if nothing has been changed there."""
        if self.changes is not None:
            return self.changes.branch if self.changes.commit or self.changes.folder else ""
        return self.worktree.branch if self.worktree is not None else ""

    @property
    def folder(self) -> str:
        """Its worktree; empty without one, and once that has been removed."""
        return (self.changes or self.worktree).folder if self.worktree is not None else ""

    def steer(self, text: str, images: list[ImageBlock] | None = None) -> bool:
        """Add a user message before its next model call. Returns False if it has ended."""
        if self.end is not None or self.runtime is None:
            return False
        self.runtime.agent.steer(text, images or ())
        return True

    def stop(self) -> None:
        """Stop it. Does nothing if it has ended."""
        if self.work is not None:
            cancel_soon(self.work)

    async def end_early(self) -> None:
        self.stop()
        if await self.finished():
            raise asyncio.CancelledError

    async def finished(self) -> bool:
        """Wait until it has ended, even if the caller is cancelled, which stops it. Return whether it was."""
        return self.work is not None and await finish(self.work, self.stop)

    def ended(self, end: RunEnd, error: str = "") -> SubagentStop:
        """Note the end, and return its event."""
        self.end = end
        self.progress.ended(end, error)
        if self.runtime is not None:
            self._below, self._messages = self.runtime.agents.all, [] if self.start.session else self.runtime.messages
        self.runtime = None
        for each in self.at_end:
            each()
        done = self.progress
        return SubagentStop(
            self.id, self.start.name, end, done.error, done.steps, done.usage.context, done.usage.shown_cost,
            round(done.seconds, 3), self.branch, self.folder,
        )  # fmt: skip

    def _report(self, line: str) -> None:
        if self._on_line is not None:
            self._on_line(line)
        self._emit(SubagentProgress(self.id, line, self.progress.usage.context, round(self.progress.seconds, 3)))


def _last_line(text: str) -> str:
    """Return the last line that is not blank, with single blanks."""
    return next((line for each in reversed(text.splitlines()) if (line := " ".join(each.split()))), "")[:LINE]
