"""`Subagents`: the sub-agents of one agent.

A sub-agent that a model starts belongs to the run of that model: cancelling the run cancels it, and the run does not
end before it does. What it uses counts for the limits of the run, and it may do at most what the other agent may do.
"""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from typing import Any, TypeVar, get_args

from zot_core.agent import Agent, user_message
from zot_core.aio import cancel_soon, finish, spawn
from zot_core.errors import Closed, SessionError, ToolError, error_line
from zot_core.events import AgentEvent, Done, Notice, RunEnd, SubagentEvent, SubagentStart, UsageEvent
from zot_core.hooks import Refusal
from zot_core.permission_mode import PermissionMode, more_careful
from zot_core.result import ToolResult
from zot_core.runtime.subagents.answers import report, started_result, tool_result
from zot_core.runtime.subagents.child import first_message, make_child, patterns_of
from zot_core.runtime.subagents.definitions import AgentDefinition, builtin_agent, builtin_agents
from zot_core.runtime.subagents.inherit import be_careful, be_limited, inherit
from zot_core.runtime.subagents.limits import AgentLimits
from zot_core.runtime.subagents.subagent import AgentResult, AgentRuntime, SubAgent
from zot_core.sessions.branch import children_folder
from zot_core.sessions.store import entries
from zot_core.tools.definition.agent_task import AgentTask
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.messages import Message
from zot_provider.record import Record, field

T = TypeVar("T")


class AgentFamily(Record):
    """The state that all agents below one agent share: `ids` counts them, `started` is how many models have started in
    this run."""

    limits: AgentLimits = field(default_factory=AgentLimits)
    ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    started: int = 0


def unknown_agent(id: str, known: Iterable[str]) -> UnknownName:
    """Return the error for an agent that is not among those with the ids `known`."""
    return UnknownName(f"there is no agent {id!r}; the agents are: {', '.join(known) or 'none'}")


class Subagents:
    """Starts the sub-agents of one runtime, and knows which run and have run.

    ```python
    answer = await rt.agents.run("Which tests are slow?", agent="explore")
    answers = await rt.agents.gather([f"Summarise {name}" for name in names], limit=8)
    ```
    """

    def __init__(
        self, runtime: AgentRuntime, make: Callable[..., Any], *, above: "Subagents | None" = None, id: str = "",
        careful: PermissionMode = "yolo",
    ) -> None:  # fmt: skip
        """`make` is the class of `runtime`. `above` are the sub-agents of which that of `runtime`, called `id`, is
        one; it works in the mode `careful` or a more careful one."""
        self._runtime, self._make, self._above, self._id, self._careful = runtime, make, above, id, careful
        self.family: AgentFamily = AgentFamily() if above is None else above.family
        self.depth: int = 0 if above is None else above.depth + 1
        self._known: dict[str, SubAgent] = {}
        self._room: asyncio.Semaphore | None = None
        self._wake = asyncio.Event()
        self._closed = False
        if above is None:
            self.end_session()
        hooks = runtime.hooks
        hooks.extra_messages.add(self._news)
        hooks.before_stop.add(self._background_answers)
        hooks.event.add(self._on_done, Done)
        runtime.agent.inbox.arrived.add(lambda _: self._wake.set())

    @property
    def limits(self) -> AgentLimits:
        """The limits of the family; they count for what starts from now on."""
        return self.family.limits

    @limits.setter
    def limits(self, limits: AgentLimits) -> None:
        limits.check()
        self.family.limits, self._room = limits, None

    @property
    def all(self) -> list[SubAgent]:
        """The sub-agents that run and the remembered ended ones, oldest first, each with its own behind it."""
        return [each for child in self._known.values() for each in (child, *child.below())]

    @property
    def running(self) -> list[SubAgent]:
        """The sub-agents that have not ended."""
        return [each for each in self.all if each.end is None]

    def find(self, id: str) -> SubAgent:
        """Return a sub-agent. Raises `UnknownName`."""
        found = next((each for each in self.all if each.id == id.strip()), None)
        if found is None:
            raise unknown_agent(id, [each.id for each in self.all])
        return found

    # For programs

    async def run(
        self, task: str, *, agent: str = "", files: Iterable[str] = (), model: str = "",
        tools: Iterable[str] | None = None, max_steps: int = 0, worktree: bool = False,
    ) -> AgentResult:  # fmt: skip
        """Let a sub-agent do a task, and return its answer, however it has ended. `agent` names a definition; `files`
        are read first; with `worktree` it works in a git worktree, and `changes` of the answer names its branch.
        Cancelling the caller stops it and waits for its end. Raises `ConfigError` if it cannot start."""
        names = None if tools is None else list(tools)
        child = await self.start(AgentTask(task, agent, list(files), model, names, max_steps, worktree=worktree))
        if await child.finished():
            raise asyncio.CancelledError
        return child.result

    async def gather(self, tasks: Iterable[str], *, limit: int = 8, **options: Any) -> list[AgentResult]:
        """Do tasks side by side, at most `limit` at a time, and return their answers in order. A failure does not stop
        the others. It takes the options of `run`."""
        found: dict[int, AgentResult] = {}
        numbered = self.map(lambda each: each[1], enumerate(tasks), limit=limit, **options)
        async for (number, _), result in numbered:
            found[number] = result
        return [found[number] for number in sorted(found)]

    async def map(
        self, task: Callable[[T], str], items: Iterable[T], *, limit: int = 8, **options: Any
    ) -> AsyncGenerator[tuple[T, AgentResult], None]:
        """Do the task that `task` makes of each item, at most `limit` at a time, and yield each item with its answer
        as soon as it has ended. At most `limit` answers wait to be taken, so there may be any number of items. Closing
        the generator stops what runs."""
        if limit < 1:
            raise ConfigError(f"limit must be at least 1, got {limit}")
        waiting, running = iter(items), dict[asyncio.Task[AgentResult], T]()
        try:
            while True:
                for item in itertools.islice(waiting, limit - len(running)):
                    running[spawn(self.run(task(item), **options), "sub-agent")] = item
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for each in done:
                    yield running.pop(each), each.result()
        finally:
            for each in running:
                cancel_soon(each)
            for each in running:
                await finish(each)

    # For the model

    async def call(self, task: AgentTask, call_id: str, progress: Callable[[str], None]) -> ToolResult:
        family = self.family
        if family.started >= family.limits.number:
            raise ToolError(f"{family.limits.number} agents were started in this run; do the task yourself")
        family.started += 1
        try:
            child = await self.start(task, tool_call=call_id, on_line=lambda line: progress(f"{line}\n"))
        except ConfigError as error:
            raise ToolError(str(error)) from error
        if task.background:
            return started_result(child)
        if await child.finished():
            raise asyncio.CancelledError
        return tool_result(child, family.limits.answer)

    async def start(
        self, task: AgentTask, *, tool_call: str = "", on_line: Callable[[str], None] | None = None
    ) -> SubAgent:
        """Start a sub-agent and return it. Raises `ConfigError`, and `Closed` after the end of its runtime."""
        if self._closed:
            raise Closed("the runtime is closed")
        limits = self.limits
        if self.depth >= limits.depth:
            raise ConfigError(f"agents start others at most {limits.depth} deep; do the task yourself")
        await self._runtime.name_model()
        definition = self._definition(task.agent)
        if definition is not None and definition.worktree:
            task = task.replace(worktree=True)
        id = str(next(self.family.ids))
        deepest = self.depth + 1 >= limits.depth
        runtime, notes = make_child(self._runtime, self._make, task, definition, limits, id, deepest=deepest)
        careful = more_careful(self._careful, None if definition is None else definition.permissions)
        runtime.agents = Subagents(runtime, self._make, above=self, id=id, careful=careful)
        emit = self._runtime.agent.emit
        start = SubagentStart(
            id, task.agent, task.task, runtime.agent.model.id, self._id, tool_call, task.background,
            runtime.session.path if runtime.session is not None else "",
        )  # fmt: skip
        child = self._known[id] = SubAgent(start, runtime, emit, limits.progress, on_line)
        self._connect(child, runtime.agent, definition, careful)
        self._forget()
        try:
            emit(start)
            for note in notes:
                emit(Notice("warn", f"{child.title}: {note}"))
        except BaseException:  # nobody may wait for what does not start
            del self._known[id]
            raise
        child.work = spawn(self._work(child, runtime, task), f"sub-agent {id}")
        return child

    def _definition(self, name: str) -> AgentDefinition | None:
        own = {each.name: each for each in self.top().workspace.agents or ()}
        found = own.get(name) or builtin_agent(name)
        if found is None and name:
            raise UnknownName.among("agent", name, [*own, *builtin_agents()])
        return found

    def _connect(
        self, child: SubAgent, agent: Agent, definition: AgentDefinition | None, careful: PermissionMode
    ) -> None:
        if definition is not None and (patterns := patterns_of(agent, definition.tools or ())):
            be_limited(agent, patterns)  # first: nobody is asked about a call that is refused all the same
        inherit(agent, self._runtime.agent, child.id)
        agent.hooks.before_turn.add(lambda _: self.may_step())
        agent.hooks.event.add(partial(self._pass_on, child), UsageEvent, *get_args(SubagentEvent))
        permissions = self.top().permissions
        if definition is not None and definition.permissions is not None:
            child.at_end.append(be_careful(agent, permissions, definition.permissions, child.id))
        permissions.tell(agent, careful, is_sub=True)

    def top(self) -> AgentRuntime:
        """Return the runtime that is no sub-agent."""
        return self._runtime if self._above is None else self._above.top()

    def may_step(self) -> Refusal | None:
        """Count a model call of a sub-agent for the limits of this agent and of those above it."""
        refusal = self._runtime.budget.count_step()
        return refusal or (self._above.may_step() if self._above is not None else None)

    def _pass_on(self, child: SubAgent, event: AgentEvent) -> None:
        """Report what a sub-agent uses, and what its own sub-agents do, as events of this agent."""
        agent = self._runtime.agent
        if isinstance(event, UsageEvent):
            agent.usage += event.usage
            agent.emit(UsageEvent(event.usage, agent.usage, event.agent_id or child.id))
        else:
            agent.emit(event)

    async def _work(self, child: SubAgent, runtime: Any, task: AgentTask) -> None:
        """Do the task. Never raises but for `CancelledError`."""
        end: RunEnd = "aborted"
        error = ""
        room = self._room = self._room or asyncio.Semaphore(self.limits.running)
        watched = self.top().checkpoints
        try:
            if watched is not None:
                watched.working += 1
            async with room:
                if task.worktree:
                    from zot_core.runtime.subagents.own_files import enter_worktree  # noqa: PLC0415  few have one

                    await enter_worktree(child, runtime, self.top().worktrees, self.limits.git_seconds)
                run = runtime.prompt(user_message(await first_message(runtime.agent, task)))
                stopped = await run.finished(run.cancel)
            end, error = await run, "it was stopped" if stopped else ""
        except asyncio.CancelledError:
            error = "it was stopped"
        except Exception as failure:  # noqa: BLE001  the top of a sub-agent
            end, error = "error", error_line(failure)
        finally:
            if watched is not None:
                watched.working -= 1
        closing = spawn(self._close(child, runtime, end, error), f"end of sub-agent {child.id}")
        await finish(closing)
        closing.result()

    async def _close(self, child: SubAgent, runtime: Any, end: RunEnd, error: str) -> None:
        await runtime.agents.close()
        if child.worktree is not None:
            from zot_core.runtime.subagents.own_files import leave_worktree  # noqa: PLC0415  few have one

            await leave_worktree(child, child.worktree, runtime, self.limits.git_seconds)
        stop = child.ended(end, error)
        session = runtime.session
        if session is not None:
            ended = {"end": end, "error": stop.error, "seconds": stop.seconds}
            if child.worktree is not None:
                ended |= {"branch": stop.branch, "worktree": stop.worktree}
            known = session.meta.other["agent"] | ended
            try:
                session.link(agent=known)
            except SessionError as failure:
                self._runtime.agent.emit(Notice("warn", f"{child.title}: {error_line(failure)}"))
        try:
            await runtime.release()
        finally:
            try:
                self._runtime.agent.emit(stop)
            finally:
                self._wake.set()

    # Within the run of the agent

    def _in_background(self) -> list[SubAgent]:
        return [each for each in self._known.values() if each.start.background and not each.announced]

    def _news(self, _: int) -> list[Message]:
        """Return one message with the answers that the model does not know."""
        ended = [each for each in self._in_background() if each.end is not None]
        if not ended:
            return []
        for each in ended:
            each.announced = True
        parts = [f"{each.title} was to: {each.start.task[:200]}\n{report(each, self.limits.answer)}" for each in ended]
        return [user_message("\n\n".join(parts), hidden="\n".join(f"{each.title} {each.status}" for each in ended))]

    async def _background_answers(self, step: int) -> list[Message]:
        """Wait for what works in the background, or for a message of the person."""
        inbox = self._runtime.agent.inbox
        while not len(inbox) and any(each.end is None for each in self._in_background()):
            self._wake.clear()
            await self._wake.wait()
        return [] if len(inbox) else self._news(step)

    def _on_done(self, _: AgentEvent) -> None:
        if self._above is None:
            self.family.started = 0
        for each in self._known.values():
            if each.end is None and each.start.tool_call:
                each.stop()

    def _forget(self) -> None:
        """Forget the oldest sub-agents that have ended, if there are too many."""
        ended = [each.id for each in self._known.values() if not each.alive]
        for id in ended[: -self.limits.remembered]:
            del self._known[id]

    def end_session(self) -> None:
        """Forget what has ended: another session begins, which may have had sub-agents before."""
        self._known = {id: each for id, each in self._known.items() if each.alive}
        session = self._runtime.session
        if session is not None:
            earlier = children_folder(session.path, session.meta.session_id)
            self.family.ids = itertools.count(len(entries(earlier)) + 1)

    async def close(self) -> None:
        """Stop all sub-agents and wait for their ends."""
        self._closed = True
        children = [each for each in self._known.values() if each.alive]
        for each in children:
            each.stop()
        for each in children:
            await each.finished()
