"""What extensions are told and asked while the agent works: `Hooks` of the agent, as frames and back.

Interceptors are consulted one after the other in load order. The first that blocks wins, each sees what the ones before
made of arguments or text. One that does not answer in time, or ends, allows: an extension that hangs must not stall the
agent.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from zot_agent.extensions.connection import Connection, Ended, TimedOut
from zot_core.errors import Refused
from zot_core.events import AgentEvent, AssistantMessage, ToolCall, TurnEnd, TurnStart
from zot_core.hooks import Hooks, Refusal, ToolRequest
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.from_host import Event, EventIntercept
from zot_ext.protocol.raw import RawObject

NO_REASON_CALL = "tool call refused by extension guard"
NO_REASON_TURN = "turn blocked by extension guard"

_ids = itertools.count(1)


class Setting(NamedTuple):
    """Where the agent works, and with which model, at the moment."""

    cwd: str
    provider: str
    model: str
    session_id: str


class Subscriptions(Protocol):
    """Who watches and who is asked, in load order."""

    @property
    def limits(self) -> ExtensionLimits: ...

    def observers(self, event: str) -> list[Connection]: ...

    def interceptors(self, event: str) -> list[Connection]: ...

    async def ready(self) -> None:
        """Return once all extensions have registered, or had their time to."""
        ...


class ExtensionHooks:
    """The handlers of one set of extensions."""

    def __init__(self, extensions: Subscriptions, about: Callable[[], Setting]) -> None:
        self._extensions, self._about = extensions, about

    def attach(self, hooks: Hooks) -> None:
        """Add the handlers."""
        hooks.event.add(self.tell)
        hooks.system_prompt.add(self.before_agent_start)
        hooks.before_model_call.add(self.turn_start)
        hooks.assistant_message.add(
            self.assistant_message, lambda: bool(self._extensions.interceptors("assistant_message"))
        )
        hooks.tool_call.add(self.tool_call)

    def tell(self, event: AgentEvent) -> None:
        """Tell the observers of `event`."""
        as_frame = _FRAMES.get(type(event))
        if as_frame is None or not (observers := self._extensions.observers(event.type)):
            return
        frame = as_frame(event)
        for connection in observers:
            connection.send(frame, droppable=True)

    async def turn_start(self, step: int) -> Refusal | None:
        """May the turn go on?"""
        for connection in self._extensions.interceptors("turn_start"):
            answer = await self._ask(connection, EventIntercept(_id(), "turn_start", step=step))
            if answer.block:
                return Refusal(answer.reason or NO_REASON_TURN)
        return None

    async def before_agent_start(self, prompt: str) -> str:
        """The system prompt as the extensions want it."""
        run, about = f"run-{_id()}", self._about()
        for connection in self._extensions.interceptors("before_agent_start"):
            question = EventIntercept(
                _id(),
                "before_agent_start",
                session_id=about.session_id,
                agent_run_id=run,
                cwd=about.cwd,
                provider=about.provider,
                model=about.model,
                system_prompt=prompt,
            )
            answer = await self._ask(connection, question)
            largest = self._extensions.limits.system_prompt_bytes
            if answer.system_prompt is None:
                continue
            if len(answer.system_prompt.encode()) > largest:
                connection.log(f"a system prompt of more than {largest} bytes is ignored")
            else:
                prompt = answer.system_prompt
        return prompt

    async def assistant_message(self, text: str) -> str:
        """What the person sees of `text`. Raises `Refused` if an extension hides it."""
        await self._extensions.ready()
        for connection in self._extensions.interceptors("assistant_message"):
            answer = await self._ask(connection, EventIntercept(_id(), "assistant_message", text=text))
            if answer.block:
                raise Refused(answer.reason or f"the answer was hidden by extension {connection.name}")
            text = answer.replace_text or text
        return text

    async def tool_call(self, call: ToolRequest) -> ToolRequest:
        """The arguments the tool gets. Raises `Refused` if an extension blocks the call, or none could judge it."""
        await self._extensions.ready()
        interceptors = self._extensions.interceptors("tool_call")
        if not interceptors:
            return call
        try:
            args = given = RawObject(call.arguments_json())
        except (FrameError, TypeError, ValueError) as error:
            raise Refused(f"the arguments of {call.name} cannot be shown to the guards: {error}") from None
        for connection in interceptors:
            question = EventIntercept(_id(), "tool_call", tool_id=call.id, tool_name=call.name, tool_args=args)
            answer = await self._ask(connection, question)
            if answer.block:
                raise Refused(answer.reason or NO_REASON_CALL)
            # The order of keys, or spaces, are no change.
            if answer.modified_args is not None and answer.modified_args.value != args.value:
                args = answer.modified_args
        return call if args is given else call.replace(arguments=dict(args.value), text=args.text)

    async def _ask(self, connection: Connection, question: EventIntercept) -> EventInterceptResponse:
        """The answer; one that allows everything if there is none."""
        seconds = self._extensions.limits.intercept_seconds
        try:
            return await connection.request(question, EventInterceptResponse, seconds)
        except TimedOut:
            connection.log(f"no answer to the intercept {question.event} within {seconds:g} s; it goes on")
        except Ended as error:
            connection.log(f"no answer to the intercept {question.event}: {error}; it goes on")
        except FrameError as error:
            connection.log(f"the intercept {question.event} goes on: {error}")
        return EventInterceptResponse(question.id)


def _id() -> str:
    return str(next(_ids))


def _tool_call(event: ToolCall) -> Event:
    try:
        args, extra = RawObject(event.arguments or "{}"), {}
    except FrameError:
        args, extra = None, {"tool_args_raw": event.arguments}
    return Event("tool_call", tool_id=event.id, tool_name=event.name, tool_args=args, extra=extra)


_FRAMES: dict[type, Callable[[Any], Event]] = {
    TurnStart: lambda event: Event("turn_start", step=event.step),
    TurnEnd: lambda event: Event("turn_end", stop=event.stop, error=event.error),
    ToolCall: _tool_call,
    AssistantMessage: lambda event: Event("assistant_message", text=event.message.text),
}
"""The events that extensions can observe, as frames. Their names on the wire are those of the agent's."""
