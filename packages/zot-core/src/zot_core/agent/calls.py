"""Run the tool calls of one answer, in sequence or in parallel."""

import asyncio
import logging
import re
import threading
from collections.abc import Mapping
from contextlib import suppress

from zot_core.agent.repeated_calls import unless_known
from zot_core.agent.state import AgentState
from zot_core.aio import being_cancelled, finish, spawn
from zot_core.clock import timestamp
from zot_core.errors import Refused, ToolError
from zot_core.events import Fate, ToolProgress, ToolResultEvent, ToolStart
from zot_core.hooks import ToolOutcome, ToolRequest
from zot_core.result import SEEN, ToolResult
from zot_core.tools.definition.argument_repair import read_arguments
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_core.tools.text.fold import plain_text
from zot_provider.messages import ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.near_names import nearest
from zot_provider.record import Record

_log = logging.getLogger("zot_core.agent")
_PREFIX = r"(?i)(functions|default_api|tools?|mcp__\w+?__)[._:]?"


class Prepared(Record):
    """A call that may run. `arguments` is the JSON text that the tool will receive; `notes` are for the model."""

    tool: Tool
    call: ToolRequest
    arguments: str
    notes: list[str]


class Rejected(Record):
    """A call that does not run. The model reads `reason`; `terminate` is that of `ToolResult`."""

    reason: str
    fate: Fate = "refused"
    terminate: bool = False


_CUT = Rejected(
    "the answer was cut off at the output limit before this call was complete, so the call did not run; "
    "call again with shorter arguments, if necessary in several calls",
    "not_run",
)
"""For the last call of an answer that reached its length limit. Even valid arguments may lack a part."""


async def run_calls(agent: AgentState, calls: list[ToolCallBlock], *, last_is_cut: bool = False) -> bool:
    """Run the calls and add their results to the history, in call order. With `last_is_cut` the last one does not run.
    Return whether all of them say that the model need not answer.

    They run in parallel only if every tool of the batch allows it. On cancellation, calls that did not finish get an
    `aborted` result before `CancelledError` is raised again.
    """
    await agent.place.follow(agent.history)  # of a resumed session
    try:
        await agent.hooks.before_calls.gather(len(calls))
    except asyncio.CancelledError:
        for call in calls:
            report(agent, _aborted_result(agent, call, began=False))
        raise
    tools = [agent.tools.get(call.name) for call in calls]
    cut = calls[-1] if last_is_cut else None
    together = len(calls) > 1 and all(tool is not None and tool.parallel for tool in tools)
    try:
        return await (_run_in_parallel if together else _run_in_order)(agent, calls, cut)
    finally:
        await agent.place.follow(agent.history)


async def _run_in_order(agent: AgentState, calls: list[ToolCallBlock], cut: ToolCallBlock | None) -> bool:
    terminate = True
    for position, block in enumerate(calls):
        began = False
        try:
            prepared_call = _CUT if block is cut else await prepare(agent, block)
            began = True
            output = await _run_call(agent, block, prepared_call)
        except asyncio.CancelledError:
            report(agent, _aborted_result(agent, block, began=began))
            for later in calls[position + 1 :]:
                report(agent, _aborted_result(agent, later, began=False))
            raise
        report(agent, output)
        terminate = terminate and output.terminate
    return terminate


async def _run_in_parallel(agent: AgentState, calls: list[ToolCallBlock], cut: ToolCallBlock | None) -> bool:
    """Run calls in parallel, after preparing all of them: gates may ask the user, one question at a time."""
    tasks: list[asyncio.Task[ToolResultEvent]] = []
    reported = 0
    begun: set[int] = set()
    room = asyncio.Semaphore(agent.parallel_calls)  # calls get in by their order, which `FileOrder` relies on

    async def run(position: int, prepared_call: Prepared | Rejected) -> ToolResultEvent:
        async with room:
            begun.add(position)
            return await _run_call(agent, calls[position], prepared_call)

    try:
        try:
            prepared = [_CUT if block is cut else await prepare(agent, block) for block in calls]
            for position, (block, prepared_call) in enumerate(zip(calls, prepared, strict=True)):
                tasks.append(spawn(run(position, prepared_call), f"tool {block.name} {block.id}"))
                await asyncio.sleep(0)  # starting a process takes some ms: keys are read between two starts
            for task in tasks:
                output = await asyncio.shield(task)
                reported += 1
                report(agent, output)
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                await finish(task)
    except asyncio.CancelledError:
        for position, block in enumerate(calls[reported:], reported):
            ended = position < len(tasks) and not tasks[position].cancelled()
            report(agent, tasks[position].result() if ended else _aborted_result(agent, block, began=position in begun))
        raise
    return all(task.result().terminate for task in tasks)


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> str:
    """Return what a model reads that called a tool which is not among `tools`, by name."""
    known = ", ".join(sorted(tools)) or "none"
    plain = re.sub(_PREFIX, "", name.split("<|")[0])  # a name that was cut out of another format
    others = {other: each for each in tools for other in tools[each].other_names}
    found = nearest(plain, [*tools, *others])
    found = others.get(found, found)
    if not found:
        return f'unknown tool "{name}"; the tools are: {known}'
    parameters = ", ".join(tools[found].schema.get("properties", ()))
    return f'unknown tool "{name}"; did you mean "{found}" ({parameters})? The tools are: {known}'


async def prepare(
    agent: AgentState, block: ToolCallBlock, tool: Tool | None = None, by: str = ""
) -> Prepared | Rejected:
    """Return the call with its final arguments, or the reason why it does not run. `tool` is the tool to call if it is
    not the agent's of that name; `by` is that of `ToolRequest`."""
    tool = tool or agent.tools.active.get(block.name)
    if tool is None:
        hidden = agent.tools.deferred
        known = {name: each for name, each in agent.tools.active.items() if name not in hidden}
        return Rejected(unknown_tool(block.name, known), "not_run")
    try:
        given, notes = read_arguments(block.arguments)
    except ValueError as error:
        return Rejected(
            f"the arguments of {block.name} are not valid JSON ({error}); send one JSON object that fits its schema",
            "not_run",
        )
    # Before the hooks, some of which are guards: they see what the tool will receive.
    try:
        arguments, more = await tool.meant(given)
    except Refused as refusal:
        return Rejected(str(refusal) or "tool call refused")
    call = ToolRequest(block.id, block.name, arguments, block.arguments, by=by)
    try:
        call = await agent.hooks.tool_call.apply(call)
    except Refused as refusal:
        return Rejected(str(refusal) or "tool call refused", terminate=refusal.terminate)
    try:
        # Encoded before the tool runs, which may mutate its arguments.
        text = call.arguments_json()
    except (TypeError, ValueError) as error:
        return Rejected(f"a hook gave {block.name} arguments that are not JSON ({error})", "not_run")
    refusal_ = await agent.hooks.tool_run.ask(call)
    if refusal_ is not None:
        return Rejected(refusal_.reason or "tool call refused")
    return Prepared(tool, call, text, [*notes, *more])


async def _run_call(agent: AgentState, block: ToolCallBlock, prepared_call: Prepared | Rejected) -> ToolResultEvent:
    """Run one call; a failure of the tool becomes an error result."""
    if isinstance(prepared_call, Rejected):
        output = _not_run_result(block, prepared_call.reason, prepared_call.fate)
        output.terminate = prepared_call.terminate
    else:
        output = await _run_tool(agent, block, prepared_call)
        if prepared_call.tool.repeatable:
            output = unless_known(output, agent.history)
    return agent.failures.follow(block, output)


async def _run_tool(agent: AgentState, block: ToolCallBlock, prepared_call: Prepared) -> ToolResultEvent:
    progress = _Progress(agent, block.id)
    context = agent.context.replace(call_id=block.id, arguments=prepared_call.arguments, progress=progress)
    agent.emit(ToolStart(block.id, block.name))
    try:
        outcome = await run_prepared(agent, prepared_call, context)
    finally:
        progress.over = True
    result = outcome.result
    return ToolResultEvent(
        block.id,
        block.name,
        result.is_error,
        [_without_controls(each) for each in result.content],
        prepared_call.arguments,
        result.details,
        result.display,
        changed_by=outcome.changed_by,
        kept=result.kept,
        terminate=result.terminate or prepared_call.call.terminate,
        seen=result.seen,
    )


async def run_prepared(agent: AgentState, prepared_call: Prepared, context: ToolContext) -> ToolOutcome:
    """Run a call and return its result as the hooks leave it; a failure becomes an error result."""
    name = prepared_call.call.name
    if prepared_call.call.env:
        context = context.replace(env=context.env | prepared_call.call.env)
    try:
        result = await prepared_call.tool.run(prepared_call.call.arguments, context)
        if not isinstance(result, ToolResult):
            raise TypeError(f"it returned a {type(result).__name__}, not a ToolResult")
        result = result.noted(prepared_call.notes)
    except ToolError as error:
        result = ToolResult.error(str(error)).noted(prepared_call.notes)
    except asyncio.CancelledError:
        if being_cancelled():
            raise
        result = ToolResult.error(f"{name} failed: something it waited for was cancelled")
    except Exception as error:  # noqa: BLE001  a tool may raise anything: the model reads it, the run continues
        _log.info("tool %s failed", name, exc_info=error)
        result = ToolResult.error(f"{name} failed: {type(error).__name__}: {error}")
    try:
        return await agent.hooks.tool_result.apply(ToolOutcome(prepared_call.call, result))
    except Refused as refusal:
        return ToolOutcome(prepared_call.call, ToolResult.error(str(refusal) or "tool result withheld"))


def _without_controls(block: TextBlock | ImageBlock) -> TextBlock | ImageBlock:
    if isinstance(block, ImageBlock):
        return block
    text = plain_text(block.text)
    return block if text is block.text else TextBlock(text)


class _Progress:
    """Reports the progress of a running tool, from any thread; does nothing once the call has ended."""

    def __init__(self, agent: AgentState, id: str) -> None:
        self._agent = agent
        self._id = id
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self.over = False

    def __call__(self, text: str) -> None:
        if threading.get_ident() == self._thread:
            self._emit(text)
        else:
            with suppress(RuntimeError):  # the loop is closed; a thread cannot be stopped and may outlive it
                self._loop.call_soon_threadsafe(self._emit, text)

    def _emit(self, text: str) -> None:
        if not self.over:
            self._agent.emit(ToolProgress(self._id, text))


def _aborted_result(agent: AgentState, block: ToolCallBlock, *, began: bool) -> ToolResultEvent:
    reason = agent.current.cancel_reason if agent.current is not None else "aborted"
    who = {"aborted": "the user", "deadline": "the deadline"}.get(reason, "a limit")
    why = f"aborted: stopped by {who}" if began else f"aborted: not run, the turn was stopped by {who}"
    return _not_run_result(block, why, "stopped")


def _not_run_result(block: ToolCallBlock, reason: str, fate: Fate) -> ToolResultEvent:
    """Return the error result of a call that did not run or did not finish."""
    return ToolResultEvent(block.id, block.name, True, ToolResult.error(reason).content, fate=fate)


def report(agent: AgentState, output: ToolResultEvent) -> None:
    """Add a result to the history (and the session file), then emit its event."""
    kept = output.details if output.kept else None
    if output.seen is not None:
        kept = {**(kept or {}), SEEN: output.seen.stored()}
    result = ToolResultBlock(output.id, output.content, output.is_error, output.fate, kept, output.changed_by)
    agent.history.append(Message("tool", [result], timestamp()))
    agent.emit(output)


async def run_call(agent: AgentState, block: ToolCallBlock) -> ToolResultEvent:
    """Run a call that no answer has made, with all hooks, and return its result, which is not added to the history."""
    return await _run_call(agent, block, await prepare(agent, block))
