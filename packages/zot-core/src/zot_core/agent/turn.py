"""One model call: the request built, its answer taken in, the message added to the transcript."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from zot_core.clock import timestamp
from zot_core.errors import Refused
from zot_core.events import AssistantMessage, AssistantStart, Notice, ToolCall, TurnEnd, TurnStop, UsageUpdate
from zot_provider.errors import ProviderError, StreamCut
from zot_provider.messages import Block, Message, TextBlock, ToolCallBlock
from zot_provider.record import Record, field, record
from zot_provider.request import Request, ToolSpec
from zot_provider.stream import StreamEnd, TextDelta, ToolUseStart, UsageReport

if TYPE_CHECKING:
    from zot_core.agent import Agent


@record
class Answer(Record):
    """What came back so far: enough to keep a part of it when the rest never comes."""

    parts: list[str] = field(default_factory=list)
    calls_begun: bool = False
    end: StreamEnd | None = None

    def partial(self) -> list[Block]:
        """What is worth keeping of an unfinished answer: its text, unless it had begun to call tools."""
        text = "".join(self.parts)
        return [TextBlock(text)] if text and not self.calls_begun else []


async def take_turn(agent: Agent) -> list[ToolCallBlock]:
    """Ask the model once; the calls it wants to make.

    Emits from `assistant_start` to `turn_end`. Raises `ProviderError` or `CancelledError` after it has kept what came
    and emitted `turn_end`.
    """
    answer = Answer()
    try:
        request = await build_request(agent)
        agent.emit(AssistantStart())
        await receive(agent, request, answer)
    except asyncio.CancelledError:
        await keep(agent, answer.partial())
        agent.emit(TurnEnd("aborted"))
        raise
    except (ProviderError, Refused) as error:
        await keep(agent, answer.partial())
        agent.emit(TurnEnd("error", str(error)))
        raise
    assert answer.end is not None
    message = await keep(agent, answer.end.content)
    calls = message.tool_calls
    for call in calls:
        agent.emit(ToolCall.of(call))
    stop: TurnStop = "tool_use" if calls else "end_turn" if answer.end.stop == "tool_use" else answer.end.stop
    agent.emit(TurnEnd(stop))
    return calls


async def build_request(agent: Agent) -> Request:
    """The request for the transcript as it stands. Raises `Refused` when a hook does."""
    if agent.system_prompt is None:
        agent.system_prompt = await agent.hooks.before_run.apply(agent.system)
    # Sorted: vendors cache a request by its prefix, and the tools stand first.
    tools = [ToolSpec(tool.name, tool.description, tool.schema) for _, tool in sorted(agent.tools.items())]
    request = Request(
        agent.model,
        agent.transcript.messages,
        system=agent.system_prompt,
        tools=tools,
        reasoning=agent.reasoning,
        cache_key=agent.cache_key,
    )
    return await agent.hooks.request.apply(request)


async def receive(agent: Agent, request: Request, answer: Answer) -> None:
    """Take the stream in, telling every event; `answer.end` is set afterwards."""
    emit, parts = agent.emit, answer.parts
    stream = agent.client.stream(request)
    try:
        async for batch in stream:
            for event in batch:
                if isinstance(event, TextDelta):
                    parts.append(event.delta)
                    emit(event)
                elif isinstance(event, UsageReport):
                    usage = event.usage.priced(agent.model.price)
                    agent.usage += usage
                    emit(UsageUpdate(usage, agent.usage))
                elif isinstance(event, StreamEnd):
                    answer.end = event
                else:
                    if isinstance(event, ToolUseStart):
                        answer.calls_begun = True
                    emit(event)
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
    if answer.end is None:
        raise StreamCut("the model's answer ended without saying so; try again")


async def keep(agent: Agent, content: list[Block]) -> Message:
    """Add an answer to the transcript and report it as a person is to see it. Nothing happens without content."""
    message = Message("assistant", content, timestamp())
    if not content:
        return message
    text, shown = message.text, message
    if text:
        try:
            replacement = await agent.hooks.assistant_message.apply(text)
            if replacement != text and replacement:
                message.meta["display_text"] = replacement
                shown = message.replace(content=replace_text(content, replacement))
        except Refused as refusal:
            message.meta["hidden"] = str(refusal) or "hidden"
    agent.transcript.append(message)
    if "hidden" in message.meta:
        agent.emit(Notice("warn", message.meta["hidden"]))
    elif text:
        agent.emit(AssistantMessage(shown))
    return message


def replace_text(content: list[Block], text: str) -> list[Block]:
    """The blocks with `text` in place of the first text block and without the other text blocks."""
    blocks: list[Block] = []
    placed = False
    for block in content:
        if not isinstance(block, TextBlock):
            blocks.append(block)
        elif not placed:
            placed = True
            blocks.append(TextBlock(text))
    return blocks
