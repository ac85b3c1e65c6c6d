"""The loop: turns until the model stops. It knows turns, calls and stopping; everything else is a hook."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from zot_core.agent.calls import run_calls
from zot_core.agent.turn import take_turn
from zot_core.errors import Refused
from zot_core.events import Done, ErrorEvent, RunEnd, TurnEnd, TurnStart, UserMessage
from zot_provider.errors import ZotError
from zot_provider.messages import Message

if TYPE_CHECKING:
    from zot_core.agent import Agent


async def run(agent: Agent, messages: list[Message]) -> RunEnd:
    """Answer `messages`; how it ended. Emits everything from `user_message` to `done`, and never raises.

    (The order of events is in `zot_core.events`.)
    """
    try:
        end = await _turns(agent, messages)
    except asyncio.CancelledError:
        end = agent.cancel_reason
        if end != "aborted":
            agent.emit(ErrorEvent(_stopped(end), exit_code=4))
    except Refused as refusal:
        agent.emit(ErrorEvent(str(refusal)))
        end = "error"
    except ZotError as error:
        agent.emit(ErrorEvent(str(error), error.exit_code))
        end = "error"
    agent.emit(Done(end))
    return end


async def _turns(agent: Agent, messages: list[Message]) -> RunEnd:
    add(agent, messages)
    step = 0
    while True:
        step += 1
        limit = await agent.hooks.limit.ask(step)
        if limit is not None:
            agent.emit(ErrorEvent(limit.reason, exit_code=4))
            return limit.end
        add(agent, [*agent.inbox.take_steering(), *await agent.hooks.pending.gather(step)])
        agent.emit(TurnStart(step))
        refusal = await agent.hooks.turn_start.ask(step)
        if refusal is not None:
            agent.emit(TurnEnd("error", refusal.reason))
            return refusal.end
        calls = await take_turn(agent)
        if calls:
            await run_calls(agent, calls)
            continue
        waiting = agent.inbox.take_steering() or agent.inbox.take_follow_up()
        if not waiting:
            return "completed"
        add(agent, waiting)


def add(agent: Agent, messages: list[Message]) -> None:
    """Put user messages into the transcript and report them."""
    for message in messages:
        agent.transcript.append(message)
        agent.emit(UserMessage(message))


def _stopped(end: RunEnd) -> str:
    return "the deadline has passed" if end == "deadline" else f"stopped: {end}"
