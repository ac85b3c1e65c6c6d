"""The tool calls of one answer: prepared, run and finished, one after the other or side by side."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from zot_core.aio import spawn
from zot_core.clock import timestamp
from zot_core.errors import Refused, ToolError
from zot_core.events import ToolOutput, ToolProgress
from zot_core.hooks import Call, Finished
from zot_core.result import ToolResult
from zot_core.tools.base import Tool
from zot_provider.messages import Message, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record, record

if TYPE_CHECKING:
    from zot_core.agent import Agent


@record
class Prepared(Record):
    """A call that may run."""

    tool: Tool
    call: Call


async def run_calls(agent: Agent, calls: list[ToolCallBlock]) -> None:
    """Run the calls and add their results to the transcript, in call order.

    They run side by side only where every tool of the batch allows it. When cancelled, calls that did not finish get an
    `aborted` result before `CancelledError` goes on.
    """
    tools = [agent.tools.get(call.name) for call in calls]
    if len(calls) > 1 and all(tool is not None and tool.parallel for tool in tools):
        await _side_by_side(agent, calls)
    else:
        await _in_order(agent, calls)


async def _in_order(agent: Agent, calls: list[ToolCallBlock]) -> None:
    for position, block in enumerate(calls):
        try:
            output = await _one(agent, block, await prepare(agent, block))
        except asyncio.CancelledError:
            _report(agent, _aborted(block, "stopped by the user"))
            for later in calls[position + 1 :]:
                _report(agent, _aborted(later, "not run, the user stopped the turn"))
            raise
        _report(agent, output)


async def _side_by_side(agent: Agent, calls: list[ToolCallBlock]) -> None:
    """Every call is prepared before the first one starts: gates may ask a person, one question at a time."""
    tasks: list[asyncio.Task[ToolOutput]] = []
    reported = 0
    try:
        prepared = [await prepare(agent, block) for block in calls]
        for block, ready in zip(calls, prepared, strict=True):
            tasks.append(spawn(_one(agent, block, ready), f"tool {block.name} {block.id}"))
        for task in tasks:
            output = await asyncio.shield(task)
            reported += 1
            _report(agent, output)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for position in range(reported, len(calls)):
            ran = position < len(tasks) and not tasks[position].cancelled()
            _report(agent, tasks[position].result() if ran else _aborted(calls[position], "stopped by the user"))
        raise


async def prepare(agent: Agent, block: ToolCallBlock) -> Prepared | ToolResult:
    """The call with the arguments it will run with, or the error the model is told."""
    tool = agent.tools.get(block.name)
    if tool is None:
        known = ", ".join(sorted(agent.tools)) or "none"
        return ToolResult.error(f'unknown tool "{block.name}"; the tools are: {known}')
    try:
        call = Call(block.id, block.name, block.parsed())
    except ValueError as error:
        return ToolResult.error(
            f"the arguments of {block.name} are not valid JSON ({error}); send one JSON object that fits its schema"
        )
    try:
        call = await agent.hooks.tool_call.apply(call)
    except Refused as refusal:
        return ToolResult.error(str(refusal) or "tool call refused")
    refusal_ = await agent.hooks.tool_run.ask(call)
    if refusal_ is not None:
        return ToolResult.error(refusal_.reason or "tool call refused")
    return Prepared(tool, call)


async def _one(agent: Agent, block: ToolCallBlock, ready: Prepared | ToolResult) -> ToolOutput:
    """Run one call; every failure of the tool is a result."""
    if isinstance(ready, ToolResult):
        return ToolOutput(block.id, block.name, True, ready.content)
    context = agent.context.replace(call_id=block.id, progress=lambda text: agent.emit(ToolProgress(block.id, text)))
    try:
        result = await ready.tool.run(ready.call.arguments, context)
    except ToolError as error:
        result = ToolResult.error(str(error))
    except Exception as error:  # noqa: BLE001  around a tool run: the model is told, the turn goes on
        result = ToolResult.error(f"{block.name} failed: {type(error).__name__}: {error}")
    try:
        result = (await agent.hooks.tool_result.apply(Finished(ready.call, result))).result
    except Refused as refusal:
        result = ToolResult.error(str(refusal) or "tool result withheld")
    arguments = json.dumps(ready.call.arguments, ensure_ascii=False)
    return ToolOutput(block.id, block.name, result.is_error, result.content, arguments, result.details, result.display)


def _aborted(block: ToolCallBlock, why: str) -> ToolOutput:
    return ToolOutput(block.id, block.name, True, ToolResult.error(f"aborted: {why}").content)


def _report(agent: Agent, output: ToolOutput) -> None:
    """Into the transcript (and onto the disk) first, then tell."""
    result = ToolResultBlock(output.id, output.content, output.is_error)
    agent.transcript.append(Message("tool", [result], timestamp()))
    agent.emit(output)
