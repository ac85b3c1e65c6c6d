"""`Asking`: asks interceptors about a value, one after the other.

The first block wins; each interceptor sees the value as the ones before changed it. An interceptor that ends, or does
not answer in time, allows, because an extension that hangs must not stall the agent, unless its `InterceptOptions` say
that it blocks.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import USUAL
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_core.errors import Refused
from zot_ext.protocol.errors import FrameError

if TYPE_CHECKING:
    from zot_agent.extensions.hooks.interceptor import Interceptor
    from zot_agent.extensions.hooks.intercepts import Intercept
    from zot_agent.extensions.hooks.subscribers import Subscribers

_ids = itertools.count(1)

BLOCK = "block"
"""The member of an answer that refuses."""

_AT_ONCE = frozenset({"turn_start", "before_agent_start"})
"""Events that do not wait for extensions that still start."""
_EARLY = frozenset({"input", "context", "before_provider_request", "before_provider_headers", "message_end"})
"""Events before the first request, which a run that wants no tools of extensions does not hold up for them."""


def next_id() -> str:
    return str(next(_ids))


class Asking:
    """Asks the interceptors of one set of extensions."""

    def __init__(self, extensions: Subscribers) -> None:
        self._extensions = extensions
        self._said: set[tuple[str, str]] = set()  # what the person has read in this run

    def begin_run(self) -> None:
        """The person reads again what has no answer."""
        self._said.clear()

    async def all(self, event: str, value: Any) -> Any:
        """Return the value of an event as the interceptors change it. Raises `Refused` if one of them blocks it, or if
        they cannot be asked about it."""
        if event not in _AT_ONCE:
            await self._extensions.ready(early=event in _EARLY)
        tool = value.name if event == "tool_call" else value.call.name if event == "tool_result" else ""
        fields = None
        for each in self._extensions.interceptors(event, tool):
            texts = each.intercept_options.get(event, USUAL).contains
            if event != "input" or not texts or any(text in value.text for text in texts):
                row = _row(event)
                if fields is None:  # the same for all until one of them changes the value
                    fields = await _fields(row, value)
                found = await self._ask(each, row, value, fields)
                if found is not value:
                    value, fields = found, None
        return value

    async def one(self, interceptor: Interceptor, event: str, value: Any) -> Any:
        """Ask one interceptor; the value does not change if it gives no valid answer. Raises as `all` does."""
        row = _row(event)
        return await self._ask(interceptor, row, value, await _fields(row, value))

    async def _ask(self, interceptor: Interceptor, row: Intercept, value: Any, fields: dict[str, Any]) -> Any:
        question = frames.EventIntercept(f"{row.name}-{next_id()}", row.name, **fields)
        options = interceptor.intercept_options.get(row.name, USUAL)
        seconds = getattr(self._extensions.limits, row.seconds)
        try:
            answer = await interceptor.request(question, frames.EventInterceptResponse, seconds)
            if not (answer.block and row.blockable):
                return await _changed(interceptor, row, value, answer)
        except TimedOut as error:
            problem, blocks = str(error), options.blocks_on_timeout
        except ExtensionEnded as error:
            problem, blocks = str(error), options.blocks_on_exit
        except FrameError as error:  # an answer that may be a refusal is one
            problem = f"extension {interceptor.name!r}: {error}"
            blocks = options.blocks_on_timeout or error.field == BLOCK
        else:
            reason = answer.reason or row.refused.format(name=interceptor.name)
            raise Refused(reason, terminate=answer.terminate)
        blocks = blocks and row.blockable
        outcome = "the action is refused" if blocks else "the action continues"
        line = f"no answer to the intercept {row.name}: {problem}; {outcome}"
        if blocks:
            interceptor.log(line)
            raise Refused(f"{problem}, so this is refused")
        if (interceptor.name, problem) in self._said:
            interceptor.log(line)
        else:
            self._said.add((interceptor.name, problem))
            interceptor.unanswered(line)
        return value


def _row(event: str) -> Intercept:
    from zot_agent.extensions.hooks.intercepts import BY_EVENT  # noqa: PLC0415  few extensions are asked at once

    return BY_EVENT[event]


async def _fields(row: Intercept, value: Any) -> dict[str, Any]:
    """Return the fields of the question about a value. Raises `Refused` if it cannot be asked about."""
    try:
        members = await asyncio.to_thread(row.members, value) if row.slow else row.members(value)
    except FrameError as error:
        raise Refused(error.reason) from None
    return frames.EventIntercept.fields_of(members)


async def _changed(interceptor: Interceptor, row: Intercept, value: Any, answer: frames.EventInterceptResponse) -> Any:
    """Return the value as a valid answer changes it, with the name of who did. Raises `FrameError`."""
    if answer.extra:
        from zot_agent.extensions.hooks.answer_content import misspelt_block  # noqa: PLC0415  few have more members
        from zot_ext.protocol.events.interceptable import INTERCEPTABLE, answer_problem  # noqa: PLC0415  as above

        if name := misspelt_block(answer.extra, [each.name for each in INTERCEPTABLE[row.name].answer]):
            raise FrameError(f"is what refuses; {name!r} is no member of an answer", frame=answer.type, field=BLOCK)
        if problem := answer_problem(row.name, answer.extra):
            raise FrameError(problem, frame=answer.type)
    found = await asyncio.to_thread(row.changed, value, answer) if row.slow else row.changed(value, answer)
    if found is value:
        return value
    if not isinstance(found, row.signed):
        return found
    return found.replace(changed_by=", ".join(filter(None, [found.changed_by, interceptor.name])))
