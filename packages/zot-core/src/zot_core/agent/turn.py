"""One turn up to its tool calls: build the request, read the answer, add the message to the history."""

import asyncio

from zot_core.agent.state import AgentState
from zot_core.agent.stream import AnswerEvent, read_stream
from zot_core.clock import timestamp
from zot_core.errors import Refused, error_line
from zot_core.events import AssistantMessage, AssistantStart, Notice, ToolCall, TurnEnd, TurnStart, TurnStop
from zot_core.hooks import ModelCallFailure, Refusal
from zot_provider.errors import ProviderError
from zot_provider.events import StreamEnd, TextDelta, ToolUseStart
from zot_provider.messages import Block, Message, TextBlock, ToolCallBlock
from zot_provider.record import Record, field
from zot_provider.request import Request, ToolSpec


class Answer(Record):
    """The answer received so far, to keep a part of it if the rest never arrives. `shown`: a part of it has been an
    event. `recorded`: it has been handled."""

    parts: list[str] = field(default_factory=list)
    shown: bool = False
    calls_started: bool = False
    end: StreamEnd | None = None
    recorded: bool = False

    def begin_anew(self) -> None:
        """Forget what has been received."""
        self.parts.clear()
        self.shown, self.calls_started, self.end = False, False, None

    def partial(self) -> list[Block]:
        """Return the part of an incomplete answer to keep: its text, unless it had started a tool call."""
        if self.calls_started:
            return []
        if self.end is not None:
            return self.end.content
        text = "".join(self.parts)
        return [TextBlock(text)] if text else []


class TurnCalls(Record):
    """The tool calls of an answer. `cut`: the answer reached its length limit within the last one, or after it."""

    calls: list[ToolCallBlock]
    cut: bool = False


async def run_turn(agent: AgentState, step: int) -> TurnCalls | Refusal:
    """Call the model once. Return the tool calls of its answer, or the refusal if a hook stopped the turn.

    Emits the events from `turn_start` to `turn_end`, even if the turn fails: the text received is then kept, and the
    error is raised.
    """
    answer = Answer()
    try:
        agent.emit(TurnStart(step))
        refusal = await agent.hooks.before_model_call.ask(step)
        if refusal is None:
            end = await _call_model(agent, answer)
            message = await record_answer(agent, answer, end.content)
    except asyncio.CancelledError:
        await _end_early(agent, answer, TurnEnd("aborted"))
        raise
    except Exception as error:
        await _end_early(agent, answer, TurnEnd("error", error_line(error)))
        raise
    if refusal is not None:
        agent.emit(TurnEnd("error", refusal.reason or "turn blocked"))
        return refusal
    calls = message.tool_calls
    for call in calls:
        agent.emit(ToolCall.of(call))
    stop: TurnStop = "length" if end.stop == "length" else "tool_use" if calls else "end_turn"
    cut = stop == "length" and bool(calls) and end.content[-1] is calls[-1]
    if stop == "length":
        within = f" within a call of {calls[-1].name}, which does not run" if cut else ""
        agent.emit(Notice("warn", f"the answer was cut off at the model's output limit{within}"))
    agent.emit(TurnEnd(stop))
    return TurnCalls(calls, cut)


async def _call_model(agent: AgentState, answer: Answer) -> StreamEnd:
    """Send the request and return the end of its answer. Repeat it once if a hook has fixed the cause of a failure, and
    once with each other model that a hook has chosen."""
    emit, parts = agent.hooks.event.notify, answer.parts

    def take(event: AnswerEvent) -> None:
        if isinstance(event, StreamEnd):
            answer.end = event
            return
        answer.shown = True
        if isinstance(event, TextDelta):
            parts.append(event.delta)
        elif isinstance(event, ToolUseStart):
            answer.calls_started = True
        emit(event)

    def start() -> None:
        answer.begin_anew()
        emit(AssistantStart(agent.hooks.assistant_message.applies or agent.hooks.answer.applies))

    def begin_anew() -> None:
        if answer.shown:
            start()

    repeated = False
    while True:
        request = await build_request(agent)
        start()
        model = agent.model
        try:
            return await read_stream(agent, request, take, begin_anew)
        except ProviderError as error:
            if answer.end or (repeated and not error.rescuable):
                raise
            retry = (await agent.hooks.call_failed.apply(ModelCallFailure(error))).retry
            if not retry or (repeated and agent.model is model):
                raise
            repeated = agent.model is model


async def _end_early(agent: AgentState, answer: Answer, end: TurnEnd) -> None:
    try:
        if not answer.recorded:
            await record_answer(agent, answer, answer.partial())
    finally:
        agent.emit(end)


async def build_request(agent: AgentState) -> Request:
    """Build the request for the current history. Raises `Refused` if a hook does."""
    if agent.system_prompt is None:
        agent.system_prompt = await agent.hooks.system_prompt.apply(agent.full_system)
    tools = [ToolSpec(tool.name, tool.description, tool.schema, tool.sampling) for tool in agent.tools.next]
    request = Request(
        agent.model,
        agent.history.messages,
        system=agent.system_prompt,
        tools=tools,
        reasoning=agent.reasoning,
        cache_key=agent.cache_key,
        cache_time=agent.cache_time,
    )
    return await agent.hooks.request.apply(request)


async def record_answer(agent: AgentState, answer: Answer, content: list[Block]) -> Message:
    """Add an answer to the history and report it as the user sees it. Does nothing without content."""
    answer.recorded = True
    message = Message("assistant", content, timestamp())
    if not content:
        return message
    shown = message
    try:
        if agent.hooks.answer:
            shown = message = await agent.hooks.answer.apply(message)
        text = message.text
        replacement = await agent.hooks.assistant_message.apply(text) if text else text
        if replacement != text:
            message.display_text = replacement
            shown = message.replace(content=message.shown)
    except Refused as refusal:
        message.hidden = str(refusal) or "hidden"
    except asyncio.CancelledError:
        # Stopped while a hook checks the text. As for any incomplete answer, text without calls is kept, but text that
        # no hook has passed is not shown.
        if message.text and not message.tool_calls:
            message.hidden = "the turn was stopped before this answer could be checked"
            _add(agent, message, message)
        raise
    _add(agent, message, shown)
    return message


def _add(agent: AgentState, message: Message, shown: Message) -> None:
    agent.history.append(message)
    if message.hidden:
        agent.emit(Notice("warn", message.hidden))
    else:
        agent.emit(AssistantMessage(shown))
