"""`ask`: asks an extension about something that it has registered."""

import itertools
from collections.abc import Mapping
from typing import Any

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.events.questions import question_problem
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.from_host import EventIntercept

_ids = itertools.count(1)


async def ask(connection: Connection, event: str, seconds: float, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the answer; none if the extension has ended, or if they are wrong, which its log says.
    Raises TimeoutError."""
    extra = {name: value for name, value in members.items() if name != "text"}
    question = EventIntercept(f"{event}-{next(_ids)}", event, text=members.get("text", ""), extra=extra)
    try:
        answer = await connection.request(question, EventInterceptResponse, seconds)
        if problem := question_problem(event, answer.extra):
            raise FrameError(problem, frame=answer.type)
    except TimedOut as error:
        raise TimeoutError(str(error)) from None
    except ExtensionEnded:
        return {}
    except FrameError as error:
        connection.log(f"no answer to {event}: {error}")
        return {}
    return dict(answer.extra)
