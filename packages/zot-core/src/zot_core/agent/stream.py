"""Read the stream of one model call: count its usage, report its retries."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from zot_core.agent.state import AgentState
from zot_core.aio import being_cancelled
from zot_core.errors import error_line
from zot_core.events import AutoRetryEnd, UsageEvent
from zot_provider.errors import StreamCut
from zot_provider.events import (
    AutoRetryStart,
    ReasoningDelta,
    StreamEnd,
    TextDelta,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    UsageReport,
)
from zot_provider.request import Request

AnswerEvent: TypeAlias = TextDelta | ReasoningDelta | ToolUseStart | ToolUseArgs | ToolUseEnd | StreamEnd


async def read_stream(
    agent: AgentState, request: Request, take: Callable[[AnswerEvent], None], begin_anew: Callable[[], None]
) -> StreamEnd:
    """Send a request, pass each event of the answer to `take`, and return the last one.

    `begin_anew` is called before the first event of an answer that was asked for again: what `take` has received so far
    is void. Until then it may be kept.

    The tokens are added to the agent's usage. Usage and retries are reported as events and not passed to `take`. Raises
    what the client raises, and `StreamCut` if the stream has no end.
    """
    end: StreamEnd | None = None
    retry: AutoRetryStart | None = None
    void = False
    stream = agent.client.stream(request)
    try:
        async for batch in stream:
            for event in batch:
                if isinstance(event, UsageReport):
                    usage = event.usage.priced(agent.model.price)
                    agent.usage += usage
                    agent.emit(UsageEvent(usage, agent.usage))
                elif isinstance(event, AutoRetryStart):
                    retry, void = event, True
                    agent.emit(event)
                else:
                    if void:
                        begin_anew()
                        void = False
                    if retry is not None and not isinstance(event, ReasoningDelta):
                        agent.emit(AutoRetryEnd(True, retry.attempt))
                        retry = None
                    end = event if isinstance(event, StreamEnd) else end
                    take(event)
        if end is None:
            raise StreamCut("the model's answer ended unexpectedly; try again")
    except asyncio.CancelledError as error:
        _give_up(agent, retry, "stopped")
        if being_cancelled():
            raise
        raise StreamCut("the model's answer was cancelled while it was received; try again") from error
    except Exception as error:
        _give_up(agent, retry, error_line(error))
        raise
    finally:
        await stream.aclose()
    return end


def _give_up(agent: AgentState, retry: AutoRetryStart | None, reason: str) -> None:
    if retry is not None:
        agent.emit(AutoRetryEnd(False, retry.attempt, reason))
