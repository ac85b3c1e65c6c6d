"""Hooks: the points at which handlers observe, stop or change what the loop does.

The kind of a hook point decides how results combine. There are four kinds: `Observe` (no results), `Gate` (the first
refusal wins, later handlers are not called), `Transform` (each handler receives the output of the one before),
`Collect` (all results are kept). Handlers are called in the order they were added. `add` accepts plain and async
functions, except for `Observe`, whose handlers must be plain functions and return quickly.

A handler added or removed while a hook point calls its handlers takes effect with the next call.

A `ZotError` from an observer, gate or transform ends the run, after all observers have been notified: a session that
cannot be written must not go unnoticed. Any other failure of an observer, and any failure of a collector, is logged and
the run continues. A gate or transform that fails otherwise refuses: a guard must not fail open.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from zot_core.aio import being_cancelled, is_async
from zot_core.errors import Refused
from zot_core.events import AgentEvent, CompactReason, RunEnd
from zot_core.machine.interface import Spawn
from zot_core.result import ToolResult
from zot_provider.errors import ProviderError, ZotError
from zot_provider.messages import ImageBlock, Message
from zot_provider.record import Record, field
from zot_provider.request import Request

T = TypeVar("T")
U = TypeVar("U")
Maybe: TypeAlias = T | Awaitable[T | None] | None

_log = logging.getLogger("zot_core.hooks")
# Log records are dropped unless the embedding program configures logging: the user has already seen one line.
logging.getLogger("zot_core").addHandler(logging.NullHandler())


class Refusal(Record):
    """The reason why a step must not happen. If the step was a turn, the run ends with `end`."""

    reason: str
    end: RunEnd = "refused"


class ToolRequest(Record):
    """A tool call about to run: its id, the tool's name and the parsed arguments.

    `text` is the JSON text of the arguments as the model wrote it. A hook that changes `arguments` may set `text` as
    well, to pass exactly that text on; a `text` that differs from `arguments` is ignored. `agent_id` is the sub-agent
    that calls, empty for the agent itself: its calls pass the hooks of both. `cwd` is then its working directory, where
    relative paths begin. `by` is the name of the extension that calls the tool; empty for the model. `terminate`: the
    result gets that of `ToolResult`. `env` is for the processes that the call starts; a hook may add to it.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    text: str = ""
    agent_id: str = ""
    by: str = ""
    cwd: str = ""
    terminate: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def arguments_json(self) -> str:
        """Return the arguments as JSON: `text` if it matches them. Raises ValueError or TypeError if they are not JSON
        values."""
        try:
            if self.text and json.loads(self.text) == self.arguments:
                return self.text
        except (ValueError, RecursionError):
            pass
        return json.dumps(self.arguments, ensure_ascii=False)


class ToolOutcome(Record):
    """A tool call that has run, and its result."""

    call: ToolRequest
    result: ToolResult
    changed_by: str = ""


class ModelCallFailure(Record):
    """A model call that failed before any part of the answer arrived. `retry`: a hook has fixed the cause."""

    error: ProviderError
    retry: bool = False


class UserInput(Record):
    """A prompt as it was typed, or a message for a running prompt (`delivery` is `steer` or `follow_up`). `extension`
    has sent it; without any the person or a program has, through `front_end`. `handled`: nothing is sent to the model.
    `changed_by` names who has changed it; so it does in the records below."""

    text: str
    images: list[ImageBlock] = field(default_factory=list)
    delivery: Literal["prompt", "steer", "follow_up"] = "prompt"
    extension: str = ""
    front_end: str = ""
    handled: bool = False
    changed_by: str = ""


class CustomEntry(Record):
    """Data of an extension, any JSON value, in the place of the conversation where the extension stored it. Models do
    not see it."""

    extension: str
    custom_type: str
    data: Any
    id: str


class CutText(Record):
    """Both ends of a text, which the model gets in place of all of it since `time`. The text is the block `part` of the
    message with the id `entry`, counting those in results. `file` has all of it, empty if nothing has."""

    entry: str
    part: int
    text: str
    file: str
    time: str


class UserCommand(Record):
    """A shell command that the user runs. With an `output` it is not run."""

    command: str
    in_context: bool
    cwd: str
    output: str | None = None
    exit_code: int = 0


class SessionChange(Record):
    """The conversation is about to continue in a new session, in the stored one with the file `target`, or in a copy up
    to the entry `target`, or `before` it."""

    kind: Literal["new", "resume", "fork"]
    target: str = ""
    before: bool = False


class TreeMove(Record):
    """The conversation is about to continue after the entry `target`, or `before` it. `summarise`: the model is to
    summarise what is left behind, as `instructions` say, unless a hook sets `summary`. The entry gets `label`."""

    target: str
    before: bool
    current: str
    summarise: bool
    instructions: str = ""
    summary: str | None = None
    label: str = ""


class CompactionPlan(Record):
    """The history is about to be compacted: all `messages` but the last `kept` are replaced with a summary, which the
    model writes unless a hook sets `summary`."""

    reason: CompactReason
    messages: list[Message]
    kept: int
    tokens_before: int
    instructions: str
    summary: str | None = None


class Compaction(Record):
    """A compaction: `summary` replaces all messages but the last `kept`, of a sub-agent if there is an `agent_id`."""

    summary: Message
    kept: int
    agent_id: str = ""


async def _resolve(value: "Maybe[T]") -> T | None:
    if not isinstance(value, Awaitable):
        return value
    try:
        return await value
    except asyncio.CancelledError as error:
        if being_cancelled():
            raise
        raise RuntimeError("it was cancelled") from error


def _log_failure(handler: object, error: Exception) -> str:
    name = getattr(handler, "__qualname__", type(handler).__name__)
    _log.error("hook %s failed", name, exc_info=error)
    return f"hook {name} failed: {error}"


class HookPoint(Generic[T]):
    def __init__(self) -> None:
        self._handlers: tuple[T, ...] = ()  # replaced, never mutated: it may be iterated over

    def add(self, handler: T) -> Callable[[], None]:
        """Add `handler`; the returned function removes it."""
        self._handlers = (*self._handlers, handler)
        added = [handler]

        def remove() -> None:
            if added:
                kept = list(self._handlers)
                kept.remove(added.pop())
                self._handlers = tuple(kept)

        return remove

    def __call__(self, handler: T) -> T:
        """Add `handler`, as a decorator."""
        self.add(handler)
        return handler

    def __len__(self) -> int:
        return len(self._handlers)


class Observe(HookPoint[Callable[[T], None]]):
    """A hook point whose handlers are notified and return nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._added: tuple[tuple[Callable[[T], None], tuple[type, ...]], ...] = ()
        self._takers: dict[type, tuple[Callable[[T], None], ...]] = {}

    def add(self, handler: Callable[[T], None], *kinds: type) -> Callable[[], None]:
        """Add `handler` for values of the classes `kinds`, or for all values without any; the returned function removes
        it. Raises TypeError for an async function."""
        if is_async(handler):
            raise TypeError("an observer must be a plain function: it is not awaited")
        added = (handler, kinds)
        self._change((*self._added, added))
        return lambda: self._change(tuple(each for each in self._added if each is not added))

    def _change(self, added: tuple[tuple[Callable[[T], None], tuple[type, ...]], ...]) -> None:
        self._added, self._takers = added, {}
        self._handlers = tuple(handler for handler, _ in added)

    def notify(self, value: T) -> None:
        """Call the handlers that take `value`, then raise the first `ZotError` that one of them raised."""
        failure: ZotError | None = None
        kind = type(value)
        takers = self._takers.get(kind)
        if takers is None:
            takers = tuple(handler for handler, kinds in self._added if not kinds or issubclass(kind, kinds))
            self._takers[kind] = takers
        for handler in takers:
            try:
                handler(value)
            except ZotError as error:
                failure = failure or error
            except Exception as error:  # noqa: BLE001  around a hook
                _log_failure(handler, error)
        if failure is not None:
            raise failure


class Conditional(HookPoint[T]):
    """A hook point that knows whether its handlers have anything to say at present."""

    _applies: tuple[Callable[[], bool], ...] = ()

    def add(self, handler: T, applies: Callable[[], bool] = lambda: True) -> Callable[[], None]:
        """Add `handler`, and return what removes it. `applies` says whether it may now change or refuse a value."""
        self._applies = (*self._applies, applies)
        remove = super().add(handler)

        def remove_both() -> None:
            remove()
            self._applies = tuple(each for each in self._applies if each is not applies)

        return remove_both

    @property
    def applies(self) -> bool:
        """Whether a handler may change or refuse the next value."""
        return any(applies() for applies in self._applies)


class Gate(Conditional[Callable[[T], "Maybe[Refusal]"]]):
    """A hook point whose handlers may refuse; the first refusal wins."""

    async def ask(self, value: T) -> Refusal | None:
        """Return the first refusal, or None if all handlers allow `value`. A handler may also refuse by raising
        `Refused`; a `ZotError` is raised to the caller."""
        for handler in self._handlers:
            try:
                refusal = await _resolve(handler(value))
            except Refused as error:
                refusal = Refusal(str(error))
            except ZotError:
                raise
            except Exception as error:  # noqa: BLE001  around a hook
                refusal = Refusal(_log_failure(handler, error))
            if refusal is not None:
                return refusal
        return None


class Transform(Conditional[Callable[[T], "Maybe[T]"]]):
    """A hook point whose handlers may replace the value; each receives the output of the one before. A handler that
    returns None, or `ignored`, leaves the value unchanged."""

    def __init__(self, ignored: T | None = None) -> None:
        super().__init__()
        self._ignored = ignored

    async def apply(self, value: T) -> T:
        """Return the final value. Raises `Refused` if a handler raises it or fails; raises a handler's `ZotError`."""
        for handler in self._handlers:
            try:
                changed = await _resolve(handler(value))
            except (Refused, ZotError):
                raise
            except Exception as error:
                raise Refused(_log_failure(handler, error)) from error
            if changed is not None and changed != self._ignored:
                value = changed
        return value


class Collect(Generic[T, U], HookPoint[Callable[[T], "Maybe[list[U]]"]]):
    """A hook point that concatenates the lists its handlers return."""

    async def gather(self, value: T) -> list[U]:
        """Return the items of all handlers, in order. A failing handler contributes none."""
        answers: list[U] = []
        for handler in self._handlers:
            try:
                answers += await _resolve(handler(value)) or []
            except Exception as error:  # noqa: BLE001  around a hook
                _log_failure(handler, error)
        return answers


class Hooks:
    """The hook points of one agent, in the order in which a run reaches them."""

    def __init__(self) -> None:
        self.event: Observe[AgentEvent] = Observe()
        """Every event, as it happens."""
        self.message: Observe[Message] = Observe()
        """A message was added to the history; called before the event that reports it."""
        self.input: Transform[UserInput] = Transform()
        """A message of the user, before slash commands are read. A refusal fails the prompt, or drops the message."""
        self.system_prompt: Transform[str] = Transform()
        """The system prompt; called once for a session, and again after the model, tools or session changed."""
        self.user_message: Transform[Message] = Transform()
        """A user message that is about to be added to the history. A refusal ends the run."""
        self.before_turn: Gate[int] = Gate()
        """May there be another turn? Called before the event `turn_start`, with the number of the next step."""
        self.extra_messages: Collect[int, Message] = Collect()
        """User messages to add before the model call of this step."""
        self.before_model_call: Gate[int] = Gate()
        """May the model be called? Called after the event `turn_start`; a refusal ends the run without an error."""
        self.request: Transform[Request] = Transform()
        """The request as it will be sent. A refusal fails the turn."""
        self.call_failed: Transform[ModelCallFailure] = Transform()
        """A model call that failed; if `retry` is set, it is repeated in the same turn with the then current history.
        Called at most once a turn."""
        self.answer: Transform[Message] = Transform()
        """A message of the model that is about to be added to the history. A refusal hides its text."""
        self.assistant_message: Transform[str] = Transform(ignored="")
        """The text of an answer as the user sees it; the model keeps its own words. A refusal hides the text, an empty
        text changes nothing."""
        self.before_calls: Collect[int, None] = Collect()
        """The number of calls in an answer, none of which has begun: the model has read every result there is."""
        self.tool_call: Transform[ToolRequest] = Transform()
        """The arguments a tool will receive. A refusal becomes the error result that the model reads."""
        self.tool_run: Gate[ToolRequest] = Gate()
        """May this call run with these arguments? Called last before it runs; used for confirmation."""
        self.tool_result: Transform[ToolOutcome] = Transform()
        """The result as the model will read it. A refusal replaces it with an error."""
        self.before_stop: Collect[int, Message] = Collect()
        """User messages that continue the run when it would end after this step; without any it ends."""
        self.before_done: Collect[RunEnd, None] = Collect()
        """The run has ended, and the event `done` is next. What has to be finished by then is awaited here, within a
        limit of its own: a run that was stopped must end at once."""
        self.spawn: Transform[Spawn] = Transform()
        """A command that a shell is about to run, of the tool bash or of the user, after everything else that may stop
        it. A refusal fails it."""
        self.user_command: Transform[UserCommand] = Transform()
        """A command that the user runs. A refusal is its output."""
        self.session_change: Gate[SessionChange] = Gate()
        """May the conversation continue in another session?"""
        self.tree_move: Transform[TreeMove] = Transform()
        """The conversation is about to continue at another entry. A refusal stops that."""
        self.compaction: Transform[CompactionPlan] = Transform()
        """The history is about to be compacted. A refusal stops that."""
        self.entry: Observe[CustomEntry] = Observe()
        """Data of an extension was added to the session."""
        self.compacted: Observe[Compaction] = Observe()
        """The history, or that of a sub-agent, is about to be compacted; the event that reports it comes later."""
