"""`DurableRun`: the run of a session that another process continues after a crash, with nothing done twice.

Every message and result is on disk before the next step begins. What is missing of a run that was cut off is the end
of the calls of its last answer. A call that had not begun, or that is repeatable, runs now. Of any other call the model
reads that its outcome is unknown.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from zot_core.agent import Agent, user_message
from zot_core.agent.calls import report, run_calls
from zot_core.agent.loop import answer, end_run, error_event
from zot_core.agent.run import Run
from zot_core.confirm import AskPermission, PermissionAnswer, PermissionQuestion
from zot_core.display import main_argument
from zot_core.errors import Refused
from zot_core.events import AgentEvent, Done, ErrorEvent, RunEnd, ToolCall, ToolResultEvent, ToolStart, TurnEnd
from zot_core.hooks import Refusal, SessionChange, TreeMove
from zot_core.limits import RunBudget
from zot_core.result import ToolResult
from zot_core.runtime.answer import AnswerCollector, RunResult
from zot_core.runtime.run_rows import RunRecord, RunState, first_run_row, read_run, run_row, tool_begin_row
from zot_core.sessions.file import SessionFile
from zot_core.version import __version__
from zot_provider.errors import ConfigError, ZotError
from zot_provider.messages import Message, ToolCallBlock, ToolResultBlock
from zot_provider.usage import Usage

STOPPED = (
    "(zot was stopped, and has been started again. Calls that say that they were aborted were stopped by that, and the "
    "last answer may be cut off. Continue with the task.)"
)
"""The text for the model when a run continues that was stopped in the middle of a step."""

UNKNOWN = (
    "unknown: zot ended while this call ran. Whether it took effect, wholly or in part, is not known, and it was not "
    "repeated. Look before you call it again: {look}."
)
"""The result of a call that began and has no end."""

_SHOWN = 2000
"""Characters of a call in a question."""

_STATES: dict[RunEnd, RunState] = {"completed": "done", "error": "failed", "refused": "failed"}


class RunWaits(ZotError):
    """The run has stopped at a question for a person, and continues once that is answered."""

    exit_code = 3


Begin: TypeAlias = Callable[[Callable[[], Coroutine[Any, Any, RunEnd]]], Run]
"""Starts work of an agent: see `Agent.begin`."""


def open_run(agent: Agent, session: SessionFile | None, task: str, budget: RunBudget, begin: Begin) -> "DurableRun":
    """Return the run of a session. Raises `ConfigError` without a session, if the session belongs to another task, of a
    newer zot or of a conversation, and `SessionError`; the session is closed then."""
    if session is None:
        raise ConfigError("a durable run needs a session")
    try:
        record = read_run(session.path)
        if record is not None:
            record.check()
            if task not in ("", record.task):
                raise ConfigError(f"session {session.path} belongs to another task: {record.task[:80]!r}")
        elif len(agent.history):
            raise ConfigError(f"session {session.path} belongs to a conversation; a run needs its own session")
    except BaseException:
        session.close()
        raise
    run = DurableRun(agent, session, record or RunRecord(session.meta.session_id, task), budget, begin)
    run.new = record is None
    return run


class DurableRun:
    """The run of a session file, which belongs to the process that has the file open.

    `record` is what the file says of it. `stopped_state` is the state after a cancellation: `running` lets another
    process continue it, `stopped` leaves that to a person.
    """

    def __init__(self, agent: Agent, session: SessionFile, record: RunRecord, budget: RunBudget, begin: Begin) -> None:
        self.record = record
        self.new = False
        """Whether the session has no row of the run yet."""
        self.stopped_state: RunState = "stopped"
        self._agent, self._session, self._budget, self._begin = agent, session, budget, begin
        self._working = self._waits = False
        self._reason = self._stopped_before = self._cut_at = ""
        self._answer = next((each.id for each in reversed(agent.history.messages) if each.role == "assistant"), "")
        agent.hooks.message.add(self._follow)
        agent.hooks.event.add(self._on_event, ToolStart, ErrorEvent, TurnEnd, Done)
        agent.hooks.session_change.add(_keep_session)
        agent.hooks.tree_move.add(_keep_place)

    def start(self) -> Run:
        """Begin the run, or continue it. Raises what `Runtime.prompt` raises."""
        return self._begin(self.work)

    async def finish(self) -> RunResult:
        """Begin the run or continue it, and return its result; of a run that is done, the result that it had. `usage`
        counts what this process has used. Raises `RunFailed` as `Runtime.ask` does."""
        if self.record.state == "done":
            return RunResult(self._last_text(), Usage(), self._agent.history.messages, "completed")
        result = await AnswerCollector(self._agent.hooks, self.start()).result()
        return result.replace(text=result.text or self._last_text())

    def _last_text(self) -> str:
        messages = self._agent.history.messages
        return messages[-1].text if messages and messages[-1].role == "assistant" else ""

    async def work(self) -> RunEnd:
        """Begin the run or continue it: work for `Agent.begin`, which never raises."""
        agent = self._agent
        self._working, self._waits, self._reason = True, False, ""
        self._budget.earlier = (self.record.steps, Usage())
        try:
            self._take_up()
            messages = await self._next_messages()
        except asyncio.CancelledError:
            return end_run(agent, agent.current.cancel_reason if agent.current is not None else "aborted")
        except Exception as error:  # noqa: BLE001  the top of a run: the user sees the failure once
            return end_run(agent, "error", error_event(error, agent))
        return end_run(agent, "completed") if messages is None else await answer(agent, messages)

    def answer(self, choice: str, message: str = "") -> None:
        """Answer the question that the run waits with: "yes", "always" or "no". `finish` or `start` continues it then.
        Raises `ConfigError` for another choice and if the run asks nothing, and `SessionError` if the answer cannot be
        written."""
        self._write(**self.record.answered(choice, message))

    def keep_tree(self, tree: dict[str, Any]) -> None:
        """Write which state of its files belongs to the rows that follow. Raises `SessionError`."""
        self._write(tree=tree)

    def asking(self, otherwise: AskPermission) -> AskPermission:
        """Return a handler for `Permissions.ask` that stops the run at a question without an answer. Questions that
        only this process can use are passed to `otherwise`: questions of sub-agents and extensions, and questions about
        a call that has begun."""

        async def ask(question: PermissionQuestion) -> PermissionAnswer:
            call = question.call
            if question.outside or call.agent_id or call.by or not self._working:
                return await otherwise(question)
            id = f"{self._answer}/{call.id}"
            if (given := read_answer(self.record.answers.get(id))) is not None:
                return given
            text = call.arguments_json()
            shown = f"{call.name} {main_argument(text) or text}"
            shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
            asked = {"id": id, "call": shown, "reason": question.reason, "always": question.always}
            self._write(state="waiting", question=asked)
            self._waits = True
            raise RunWaits(f"run {self.record.id} waits for an answer: {shown} ({question.reason})")

        return ask

    # Continuing

    def _take_up(self) -> None:
        record = self.record
        if self.new:
            given = self._budget.limits
            limits: dict[str, Any] = {name: getattr(given, name) for name in given.__match_args__}
            limits = {name: value for name, value in limits.items() if value is not None}
            self._session.add_row(first_run_row(record.id, record.task, __version__, limits=limits))
            self.new = False
        self._stopped_before, self._cut_at = record.end, record.cut
        self._write(pid=os.getpid(), state="running", end="", reason="", question={})

    async def _next_messages(self) -> list[Message] | None:
        """Do what is left of the last answer, and return the messages for the next model call; None after the last."""
        history = self._agent.history.messages
        if not history:
            return [user_message(self.record.task)]
        await self._end_calls(history)
        unfinished = self._stopped_before not in ("", "completed")
        last = self._agent.history.messages[-1]
        if self._stopped_before == "aborted" or (unfinished and last.role == "assistant"):
            return [user_message(STOPPED, hidden="the run continues")]
        return None if last.role == "assistant" and not last.tool_calls else []

    async def _end_calls(self, history: Sequence[Message]) -> None:
        """Give every call of the last answer a result."""
        agent, last = self._agent, history[-1] if history[-1].role == "assistant" else None
        if history[-1].role == "tool" and len(history) > 1 and history[-2].role == "assistant":
            last = history[-2]
        if last is None or not (open_calls := _without_result(last, history[-1])):
            return
        self._session.expect_results(len(open_calls))
        begun = Counter(self.record.begun if self.record.begun_in == last.id else {})
        rest: list[ToolCallBlock] = []
        for call in last.tool_calls:
            began = begun[call.id] > 0
            begun[call.id] -= 1
            if not any(call is each for each in open_calls):
                continue
            agent.emit(ToolCall.of(call))
            if began:
                unknown = ToolResult.error(UNKNOWN.format(look=await self._look(call))).content
                report(agent, ToolResultEvent(call.id, call.name, True, unknown, fate="stopped"))
            else:
                rest.append(call)
        # The hooks of a turn bring the tools of extensions, limits, and compactions, which may take the calls away.
        if not rest or await agent.hooks.before_turn.ask(1) is not None:
            return
        if any(message.id == last.id for message in agent.history.messages):
            await run_calls(agent, rest, last_is_cut=self._cut_at == last.id and rest[-1] is last.tool_calls[-1])

    async def _look(self, call: ToolCallBlock) -> str:
        """Return where the model finds out what a call has done."""
        tool, access = self._agent.tools.get(call.name), None
        if tool is not None:
            with suppress(Exception):  # of a tool, or of arguments that cannot be read
                access = await tool.access(call.parsed(), self._agent.context)
        path = access.path if access is not None else None
        return f"{path}, git status" if path else "git status, and the files and processes that it names"

    # Rows

    def _write(self, **fields: Any) -> None:
        """Change fields of the record, on disk first. Raises `SessionError`."""
        self._session.add_row(run_row(fields))
        for name, value in fields.items():
            setattr(self.record, name, value)

    def _follow(self, message: Message) -> None:
        if message.role == "assistant":
            self._answer = message.id
            self.record.steps += 1

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, ToolStart):
            tool = self._agent.tools.get(event.name)
            if tool is None or not tool.repeatable:
                self._session.add_row(tool_begin_row(self._answer, event.id, event.name))
        elif isinstance(event, ErrorEvent):
            self._reason = event.message
        elif isinstance(event, TurnEnd) and event.stop == "length":
            last = self._agent.history.messages[-1]
            if last.content and isinstance(last.content[-1], ToolCallBlock):
                self._write(cut=last.id)
        elif isinstance(event, Done) and self._working:
            self._end(event.reason)

    def _end(self, end: RunEnd) -> None:
        self._working, self._budget.earlier = False, None
        if self._waits:
            return
        state = self.stopped_state if end == "aborted" else _STATES.get(end, "stopped")
        self._write(state=state, end=end, reason=self._reason)


def read_answer(value: Any) -> PermissionAnswer | None:
    """Return the answer in a row; None for anything else."""
    choice = value.get("choice") if isinstance(value, dict) else None
    if choice not in ("yes", "always", "no"):
        return None
    message = value.get("message")
    return PermissionAnswer(choice, message if isinstance(message, str) else "")


def _without_result(last: Message, results: Message) -> list[ToolCallBlock]:
    """Return the calls of an answer that have no result among `results`."""
    there = Counter(each.call_id for each in results.content if isinstance(each, ToolResultBlock))
    found = []
    for call in last.tool_calls:
        if there[call.id] > 0:
            there[call.id] -= 1
        else:
            found.append(call)
    return found


def _keep_session(_: SessionChange) -> Refusal:
    return Refusal("a durable run keeps its session")


def _keep_place(_: TreeMove) -> TreeMove:
    raise Refused("a durable run keeps its place in its session")
