"""`ExtensionHooks`: handlers of the agent's `Hooks` that notify and ask extensions.

Interceptors are asked one after the other in load order. The first block wins; each interceptor sees the arguments or
the text as the ones before changed them. An interceptor that ends, or does not answer in time, allows, because an
extension that hangs must not stall the agent, unless its `InterceptOptions` say that it blocks.
"""

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from zot_agent.extensions.calls.intercept_options import BLOCKABLE, USUAL, InterceptOptions
from zot_agent.extensions.connection import Connection, ExtensionEnded, TimedOut
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

if TYPE_CHECKING:
    from zot_core.sandbox.policy import SandboxPolicy


class AgentInfo(NamedTuple):
    """The current working directory, provider, model and session of the agent, and whether the person has allowed what
    the project brings."""

    cwd: str
    provider: str
    model: str
    session_id: str
    sandbox: "SandboxPolicy | None" = None
    """The policy of the sandbox that the person has turned on."""
    project_trusted: bool = False


class Subscriptions(Protocol):
    """The extensions that observe or intercept an event, in load order."""

    @property
    def limits(self) -> ExtensionLimits: ...

    def observers(self, event: str) -> list[Connection]: ...

    def interceptors(self, event: str, tool: str = "") -> list[Connection]: ...

    async def ready(self) -> None:
        """Return once all extensions have registered, or their time for that is over."""
        ...


class ExtensionHooks:
    """The hook handlers of one set of extensions."""

    def __init__(self, extensions: Subscriptions, agent_info: Callable[[], AgentInfo]) -> None:
        self._extensions, self._agent_info = extensions, agent_info
        self._prompts: dict[Connection, tuple[str, str]] = {}
        self._same_session = False

    def attach(self, hooks: Hooks) -> None:
        """Add the handlers."""
        hooks.event.add(self.notify_observers)
        hooks.system_prompt.add(self.before_agent_start)
        hooks.before_model_call.add(self.turn_start)
        hooks.assistant_message.add(
            self.assistant_message, lambda: bool(self._extensions.interceptors("assistant_message"))
        )
        hooks.tool_call.add(self.tool_call)

    def notify_observers(self, event: AgentEvent) -> None:
        """Send `event` to its observers, if it can be observed."""
        as_frame = _FRAMES.get(type(event))
        if as_frame is None or not (observers := self._extensions.observers(event.type)):
            return
        frame = as_frame(event)
        if frame is None:
            return
        for connection in observers:
            connection.send(frame, droppable=True)

    async def turn_start(self, step: int) -> Refusal | None:
        """Ask whether the turn may begin."""
        for connection in self._extensions.interceptors("turn_start"):
            answer = await self._ask(connection, EventIntercept(_id(), "turn_start", step=step))
            if answer.block:
                return Refusal(answer.reason or NO_REASON_TURN)
        return None

    def ask_again(self) -> bool:
        """Return whether an extension wants to be asked for the system prompt for each prompt. The next question about
        it goes to those alone."""
        interceptors = self._extensions.interceptors("before_agent_start")
        self._same_session = any(_options(each).each_prompt for each in interceptors)
        return self._same_session

    async def before_agent_start(self, prompt: str) -> str:
        """Return the system prompt, as the extensions change it."""
        run, agent = f"run-{_id()}", self._agent_info()
        before, self._prompts = (self._prompts if self._same_session else {}), {}
        self._same_session = False
        for connection in self._extensions.interceptors("before_agent_start"):
            given, known = prompt, before.get(connection)
            if known is not None and known[0] == prompt and not _options(connection).each_prompt:
                prompt = known[1]
                self._prompts[connection] = known
                continue
            question = EventIntercept(
                _id(),
                "before_agent_start",
                session_id=agent.session_id,
                agent_run_id=run,
                cwd=agent.cwd,
                provider=agent.provider,
                model=agent.model,
                system_prompt=prompt,
            )
            answer = await self._ask(connection, question)
            largest = self._extensions.limits.system_prompt_bytes
            if answer.system_prompt is not None and len(answer.system_prompt.encode()) > largest:
                connection.log(f"a system prompt of more than {largest} bytes is ignored")
            elif answer.system_prompt is not None:
                prompt = answer.system_prompt
            self._prompts[connection] = given, prompt
        return prompt

    async def assistant_message(self, text: str) -> str:
        """Return the text that the user sees in place of `text`. Raises `Refused` if an extension hides it."""
        await self._extensions.ready()
        for connection in self._extensions.interceptors("assistant_message"):
            answer = await self._ask(connection, EventIntercept(_id(), "assistant_message", text=text))
            if answer.block:
                raise Refused(answer.reason or f"the answer was hidden by extension {connection.name}")
            text = answer.replace_text or text
        return text

    async def tool_call(self, call: ToolRequest) -> ToolRequest:
        """Return the call with the arguments for the tool. Raises `Refused` if an extension blocks the call, or if the
        arguments cannot be sent to an interceptor."""
        await self._extensions.ready()
        interceptors = self._extensions.interceptors("tool_call", call.name)
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
            # Another order of keys, or other spaces, is not a change.
            if answer.modified_args is not None and answer.modified_args.value != args.value:
                args = answer.modified_args
        return call if args is given else call.replace(arguments=dict(args.value), text=args.text)

    async def _ask(self, connection: Connection, question: EventIntercept) -> EventInterceptResponse:
        """Return the answer of an interceptor, or an answer that allows everything if it gave no valid one."""
        seconds = self._extensions.limits.intercept_seconds
        options = connection.intercept_options.get(question.event, USUAL)
        blocks = False
        try:
            return await connection.request(question, EventInterceptResponse, seconds)
        except TimedOut as error:
            problem, blocks = str(error), options.blocks_on_timeout
        except ExtensionEnded as error:
            problem, blocks = str(error), options.blocks_on_exit
        except FrameError as error:
            problem, blocks = f"extension {connection.name!r}: {error}", options.blocks_on_timeout
        blocks = blocks and question.event in BLOCKABLE
        outcome = "the action is refused" if blocks else "the action continues"
        connection.log(f"no answer to the intercept {question.event}: {problem}; {outcome}")
        return EventInterceptResponse(question.id, block=blocks, reason=f"{problem}, so this is refused")


def _options(connection: Connection) -> InterceptOptions:
    return connection.intercept_options.get("before_agent_start", USUAL)


def _id() -> str:
    return str(next(_ids))


def _tool_call(event: ToolCall) -> Event:
    try:
        args, extra = RawObject(event.arguments or "{}"), {}
    except FrameError:
        args, extra = None, {"tool_args_raw": event.arguments}
    return Event("tool_call", tool_id=event.id, tool_name=event.name, tool_args=args, extra=extra)


def _assistant_message(event: AssistantMessage) -> Event | None:
    return Event("assistant_message", text=event.message.text) if event.message.text else None


_FRAMES: dict[type, Callable[[Any], Event | None]] = {
    TurnStart: lambda event: Event("turn_start", step=event.step),
    TurnEnd: lambda event: Event("turn_end", stop=event.stop, error=event.error),
    ToolCall: _tool_call,
    AssistantMessage: _assistant_message,
}
"""Makes the frame for each event that extensions can observe, None for one without text. Frame and agent event have the
same name."""
