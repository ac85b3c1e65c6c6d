"""`ToolCaller`: carries out the tool calls of one extension."""

import asyncio

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.tool_calls import caller, chain
from zot_agent.extensions.tools import AgentTools, ExtensionTool
from zot_core.agent import Agent
from zot_core.agent.calls import Prepared, prepare, run_prepared
from zot_core.aio import cancel_soon, spawn
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.groups.tools import CallTool, CallToolCancel, ToolAnswer
from zot_ext.protocol.permissions import ExtensionPermissions, may_call, must_confine
from zot_ext.protocol.raw import RawObject
from zot_ext.protocol.values import Block
from zot_ext.protocol.values import ImageBlock as ImageValue
from zot_ext.protocol.values import TextBlock as TextValue
from zot_provider.messages import ImageBlock, TextBlock, ToolCallBlock


class ToolCaller:
    """Runs the tools that the extension at `connection` calls, side by side, and answers each call once.

    Hooks judge a call as one of the model: guards, rules and the person decide. It is no event and no row of the
    session. It ends with the request that it belongs to (`parent_id`), and with the extension.
    """

    def __init__(
        self, connection: Connection, permissions: ExtensionPermissions, tools: AgentTools, limits: ExtensionLimits
    ) -> None:
        self._connection, self._permissions, self._tools, self._limits = connection, permissions, tools, limits
        self._open: dict[str, tuple[asyncio.Task[None], str]] = {}
        connection.pending.ended.append(self._request_ended)

    def received(self, frame: CallTool | CallToolCancel) -> None:
        """Begin a call, or take one back. Harmless if that is not open."""
        if isinstance(frame, CallToolCancel):
            self._cancel(frame.id)
        elif not frame.id or frame.id in self._open:
            self._connection.log(f"the id {frame.id!r} of a call_tool is empty or in use; the call is dropped")
        elif problem := self._problem(frame):
            self._connection.log(f"call_tool of {frame.name}: {problem}")
            self._answer(frame, ToolResult.error(problem))
        else:
            task = spawn(self._carry_out(frame), f"{frame.name} for extension {self._connection.name}")
            self._open[frame.id] = task, frame.parent_id

    def close(self) -> None:
        """Take all calls back, because the extension has ended."""
        for id in list(self._open):
            self._cancel(id)

    def _cancel(self, id: str) -> None:
        found = self._open.get(id)
        if found is not None:
            cancel_soon(found[0])

    def _request_ended(self, id: str, owed: bool) -> None:  # noqa: FBT001  the callback of `PendingRequests`
        for call, (_, parent) in list(self._open.items()):
            if parent == id:
                self._cancel(call)

    def _problem(self, frame: CallTool) -> str:
        """Return why a call cannot be carried out; empty if it can."""
        connection, running = self._connection, self._connection.pending.tool_calls
        if not may_call(self._permissions, f"call_tool.{frame.name}"):
            return f"permissions.calls of its manifest does not have call_tool.{frame.name}"
        if len(self._open) >= self._limits.open_calls:
            return f"{len(self._open)} calls of this extension are open already"
        if frame.parent_id and not connection.pending.has(frame.parent_id):
            return f"no request {frame.parent_id!r} is open"
        if not (frame.parent_id or frame.builtin) and running:  # zot's own tools call nobody: there is no circle
            return "parent_id is missing: it must name the tool_call that is being answered"
        if self._tools.find(frame.name, builtin=frame.builtin) is None:
            own = "zot itself has no tool" if frame.builtin else "the model has no tool"
            return f"{own} with the name {frame.name!r}; there are {', '.join(self._tools.active())}"
        before = running[frame.parent_id].chain if frame.parent_id in running else ()
        if not frame.builtin and frame.name in before:
            return f"a cycle of tools that call each other: {' > '.join((*before, frame.name))}"
        if len(before) >= self._limits.call_tool_chain:
            return f"{' > '.join(before)} call each other already; no more than {self._limits.call_tool_chain} may"
        return ""

    async def _carry_out(self, frame: CallTool) -> None:
        connection, running = self._connection, self._connection.pending.tool_calls.get(frame.parent_id)
        chain.set(() if running is None else running.chain)
        caller.set(connection)
        connection.pending.pause(frame.parent_id)
        try:
            result = await self._run(frame)
        except asyncio.CancelledError:
            result = ToolResult.error(f"the call of {frame.name} was cancelled")
        except TimeoutError:
            result = ToolResult.error(f"{frame.name} gave no result within {self._limits.call_tool_seconds:g} s")
        except Exception as error:  # noqa: BLE001  the top of a call
            result = ToolResult.error(f"{frame.name} failed: {type(error).__name__}: {error}")
        finally:
            connection.pending.resume(frame.parent_id)
            self._open.pop(frame.id, None)
        self._answer(frame, result)

    async def _run(self, frame: CallTool) -> ToolResult:
        agent, tool = self._tools.agent, self._tools.find(frame.name, builtin=frame.builtin)
        assert agent is not None
        running = self._connection.pending.tool_calls.get(frame.parent_id)
        id = f"{self._connection.name}-{frame.id}"
        context = agent.context.replace(call_id=id)
        if running is not None:
            context = context.replace(progress=running.progress.add)
        sandbox = self._connection.terms.sandbox
        if sandbox is None or not must_confine(self._permissions) or isinstance(tool, ExtensionTool):
            return await self._run_in(agent, frame, tool, context)
        if (machine := agent.place.machine) is not None:
            return ToolResult.error(
                f"the tools use {machine.name}, and the permissions of this extension are about another machine"
            )
        from zot_agent.extensions.tool_calls.confined_context import confined_context  # noqa: PLC0415  few have permissions

        return await self._run_in(agent, frame, tool, confined_context(context, self._connection, sandbox))

    async def _run_in(self, agent: Agent, frame: CallTool, tool: Tool | None, context: ToolContext) -> ToolResult:
        block = ToolCallBlock(context.call_id, frame.name, frame.args.text)
        call = await prepare(agent, block, tool, self._connection.name)
        if not isinstance(call, Prepared):
            return ToolResult.error(call.reason)
        async with asyncio.timeout(self._limits.call_tool_seconds):
            result = (await run_prepared(agent, call, context.replace(arguments=call.arguments))).result
        if result.seen is not None:  # no row of the session has it
            context.seen_files.take(result.seen)
        return result

    def _answer(self, frame: CallTool, result: ToolResult) -> None:
        content, truncated = cut_content(result.content, self._limits.call_tool_bytes)
        details = {**result.details}
        structured, members = _object(details.pop("structured_content", None)), _object(details)
        if structured is not None and len(structured.text) > self._limits.call_tool_bytes:
            structured, truncated = None, True
        if members is not None and len(members.text) > self._limits.call_tool_bytes:
            members = None
        answer = ToolAnswer(frame.id, frame.name, content, result.is_error, truncated, structured, members)
        self._connection.send(answer)


def _object(value: object) -> RawObject | None:
    """Return an object with members as JSON, and None for all else: a program may have any details."""
    try:
        return RawObject.from_value(value) if isinstance(value, dict) and value else None
    except FrameError:
        return None


def cut_content(blocks: list[TextBlock | ImageBlock], largest: int) -> tuple[tuple[Block, ...], bool]:
    """Return content for a frame, at most `largest` bytes of it, and whether something was left out."""
    content: list[Block] = []
    left, truncated = largest, False
    for block in blocks:
        if isinstance(block, ImageBlock):
            if len(block.data) > left:
                truncated = True
                continue
            content.append(ImageValue(block.mime_type, block.data))
            left -= len(block.data)
            continue
        data = block.text.encode("utf-8", "replace")
        truncated = truncated or len(data) > left
        content.append(TextValue(data[:left].decode("utf-8", "ignore")))
        left -= min(left, len(data))
    return tuple(content), truncated
