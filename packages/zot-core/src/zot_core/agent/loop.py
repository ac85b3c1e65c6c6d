"""The loop: turns until the model stops. It knows turns, tool calls and stopping; everything else is a hook."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Literal

from zot_core.agent.state import AgentState
from zot_core.agent.turn import run_turn
from zot_core.errors import Refused, error_line
from zot_core.events import Done, ErrorEvent, Notice, RunEnd, UserMessage
from zot_core.hooks import Refusal, UserInput
from zot_provider.errors import MissingKey, ProviderError, ZotError
from zot_provider.messages import Block, ImageBlock, Message, TextBlock

_log = logging.getLogger("zot_core.agent")


async def answer(agent: AgentState, messages: list[Message]) -> RunEnd:
    """Answer `messages` and return how the run ended. Never raises.

    Emits the events from `user_message` to `done`, in the order given in `zot_core.events`.
    """
    try:
        end, failure = await _run_turns(agent, messages)
    except asyncio.CancelledError:
        end = agent.current.cancel_reason if agent.current is not None else "aborted"
        why = "the deadline has passed" if end == "deadline" else f"stopped: {end}"
        failure = None if end == "aborted" else ErrorEvent(why, exit_code=4)
    except Exception as error:  # noqa: BLE001  the top of a run: the user sees the failure once
        end, failure = "error", error_event(error, agent)
    return await _ended(agent, end, failure)


async def _ended(agent: AgentState, end: RunEnd, failure: ErrorEvent | None) -> RunEnd:
    """Do what `end_run` does, after what has to be finished by then."""
    with suppress(asyncio.CancelledError):  # stopped at its end
        await agent.hooks.before_done.gather(end)
    return end_run(agent, end, failure)


async def _run_turns(agent: AgentState, messages: list[Message]) -> tuple[RunEnd, ErrorEvent | None]:
    await add_messages(agent, messages)
    step = 0
    while True:
        step += 1
        limit = await agent.hooks.before_turn.ask(step)
        if limit is not None:
            return limit.end, ErrorEvent(limit.reason, exit_code=4)
        steering = await _as_changed(agent, agent.inbox.take_steering(), "steer")
        await add_messages(agent, [*steering, *await agent.hooks.extra_messages.gather(step)])
        turn = await run_turn(agent, step)
        if isinstance(turn, Refusal):
            return turn.end, None
        if turn.calls:
            from zot_core.agent.calls import run_calls  # noqa: PLC0415  not before the first request

            if not await run_calls(agent, turn.calls, last_is_cut=turn.cut):
                continue
        following = (
            await _next_messages(agent) or await agent.hooks.before_stop.gather(step) or await _next_messages(agent)
        )
        if not following:
            return "completed", None
        await add_messages(agent, following)


async def _next_messages(agent: AgentState) -> list[Message]:
    steering = await _as_changed(agent, agent.inbox.take_steering(), "steer")
    return steering or await _as_changed(agent, agent.inbox.take_follow_up(), "follow_up")


async def _as_changed(
    agent: AgentState, messages: list[Message], delivery: Literal["steer", "follow_up"]
) -> list[Message]:
    """Return messages of the inbox as the hooks of `input` change them, without what they refuse or handle."""
    if not agent.hooks.input:
        return messages
    kept: list[Message] = []
    for message in messages:
        images = [each for each in message.content if isinstance(each, ImageBlock)]
        given = UserInput(message.text, images, delivery, message.extension)
        try:
            found = await agent.hooks.input.apply(given)
        except Refused as refused:
            agent.emit(Notice("warn", f"not sent: {refused}"))
            continue
        if found is given:
            kept.append(message)
        elif not found.handled:
            kept.append(changed_input(message, found))
    return kept


def changed_input(message: Message, found: UserInput) -> Message:
    """Return a message of the user with what hooks have made of its text and images."""
    content: list[Block] = [*([TextBlock(found.text)] if found.text else ()), *found.images]
    return message.replace(content=content, display_text=None, changed_by=found.changed_by)


async def add_messages(agent: AgentState, messages: list[Message]) -> None:
    """Add user messages to the history and emit their events. Raises `Refused` if a hook does."""
    for given in messages:
        message = await agent.hooks.user_message.apply(given)
        agent.history.append(message)
        agent.emit(UserMessage(message))


def end_run(agent: AgentState, end: RunEnd, failure: ErrorEvent | None = None) -> RunEnd:
    """Emit the end of a run: `failure`, if given, then `done`, even if observers fail. Return `end`.

    The agent is idle when `done` is emitted.
    """
    for event in (failure, Done(end)):
        if event is None:
            continue
        if type(event) is Done and agent.current is not None:
            agent.current.end = end
        try:
            agent.emit(event)
        except ZotError as error:  # all observers were notified, and there is nothing left to stop
            _log.error("an observer failed at the end of a run", exc_info=error)
    return end


async def run_work(agent: AgentState, work: Coroutine[Any, Any, None]) -> RunEnd:
    """Run `work` as a whole run, emit its end and return how it ended. Never raises."""
    end: RunEnd = "completed"
    failure: ErrorEvent | None = None
    try:
        await work
    except asyncio.CancelledError:
        end = agent.current.cancel_reason if agent.current is not None else "aborted"
    except Exception as error:  # noqa: BLE001  the top of a run: the user sees the failure once
        end, failure = "error", error_event(error, agent)
    return await _ended(agent, end, failure)


def error_event(error: Exception, agent: AgentState) -> ErrorEvent:
    """Return the event for a failure. An exception that was not raised on purpose is logged with its traceback."""
    if isinstance(error, MissingKey) or (isinstance(error, ProviderError) and error.rescuable):
        candidates = agent.client.alternatives(agent.model)
        return ErrorEvent(error_line(error), error.exit_code, retryable=True, candidates=candidates, auth=error.auth)
    if isinstance(error, ZotError):
        return ErrorEvent(error_line(error), error.exit_code)
    if not isinstance(error, Refused):
        _log.error("a run failed", exc_info=error)
    return ErrorEvent(error_line(error))
