"""Hooks: the points at which others watch, stop or change what the loop does.

The kind of a point says how answers combine, and there are four: `Observe` (answers ignored), `Gate` (the first
refusal wins, later handlers are not asked), `Transform` (each handler sees the last one's output), `Collect` (all
answers kept). Handlers are asked in the order they were added; `add` takes plain and async functions, except for
`Observe`, whose handlers are plain and must be quick.

A handler added or removed while the others are being asked counts from the next time on.

A failing handler is dealt with in one place each. A `ZotError` ends the run (a session that cannot be written must not
go unnoticed; observers are all told first). Any other failure of an observer is logged and the work goes on; a gate or
transform that fails refuses: what guards must not fail open.
"""

import asyncio
import inspect
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeAlias, TypeVar

from zot_core.aio import being_cancelled
from zot_core.errors import Refused
from zot_core.events import AgentEvent, RunEnd
from zot_core.result import ToolResult
from zot_provider.errors import ProviderError, ZotError
from zot_provider.messages import Message
from zot_provider.record import Record, record
from zot_provider.request import Request

T = TypeVar("T")
U = TypeVar("U")
Maybe: TypeAlias = T | Awaitable[T | None] | None

_log = logging.getLogger("zot_core.hooks")
# What is logged goes nowhere unless whoever embeds us wants it: the person has been told in one line.
logging.getLogger("zot_core").addHandler(logging.NullHandler())


@record
class Refusal(Record):
    """Why a step must not happen. `end` is how the run ends if the step was a turn."""

    reason: str
    end: RunEnd = "refused"


@record
class ToolRequest(Record):
    """A tool call about to run: the model's id, the tool's name and the parsed arguments.

    `text` is their JSON text as the model wrote it. A hook that gives other arguments may give their text too, to have
    the tool get exactly that; a text that says something else than `arguments` does not count.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    text: str = ""

    def arguments_json(self) -> str:
        """The arguments as one JSON text, `text` if that says the same. ValueError or TypeError if they have none."""
        try:
            if self.text and json.loads(self.text) == self.arguments:
                return self.text
        except (ValueError, RecursionError):
            pass
        return json.dumps(self.arguments, ensure_ascii=False)


@record
class ToolOutcome(Record):
    """A call that has run, and its result."""

    call: ToolRequest
    result: ToolResult


@record
class ModelCallFailure(Record):
    """A model call that failed before anything of its answer came. `again`: what made it fail has been put right."""

    error: ProviderError
    retry: bool = False


@record
class Compaction(Record):
    """What the transcript becomes: `summary` in place of all its messages but the last `kept`."""

    summary: Message
    kept: int


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
    """The handlers of one point."""

    def __init__(self) -> None:
        self._handlers: tuple[T, ...] = ()  # replaced, never changed: somebody may be walking over it

    def add(self, handler: T) -> Callable[[], None]:
        """Ask `handler` from now on; the returned function takes it off again."""
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

    def __bool__(self) -> bool:
        return bool(self._handlers)


class Observe(HookPoint[Callable[[T], None]]):
    """Everyone is told; nobody answers."""

    def add(self, handler: Callable[[T], None]) -> Callable[[], None]:
        """Tell `handler` from now on; the returned function takes it off again. TypeError for an async function."""
        if inspect.iscoroutinefunction(handler):
            raise TypeError("an observer is a plain function: nobody waits for it")
        return super().add(handler)

    def notify(self, value: T) -> None:
        """Tell all handlers, then raise the first `ZotError` that came of it."""
        failure: ZotError | None = None
        for handler in self._handlers:
            try:
                handler(value)
            except ZotError as error:
                failure = failure or error
            except Exception as error:  # noqa: BLE001  around a hook
                _log_failure(handler, error)
        if failure is not None:
            raise failure


class Gate(HookPoint[Callable[[T], "Maybe[Refusal]"]]):
    """The first refusal wins."""

    async def ask(self, value: T) -> Refusal | None:
        """The first refusal, None if all allow it. A handler may also raise `Refused`, and a `ZotError` goes on."""
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


class Transform(HookPoint[Callable[[T], "Maybe[T]"]]):
    """Each handler sees what the one before made of the value. None leaves it as it is, and so does `ignored`."""

    def __init__(self, ignored: T | None = None) -> None:
        super().__init__()
        self._ignored = ignored
        self._applies: tuple[Callable[[], bool], ...] = ()

    def add(self, handler: Callable[[T], "Maybe[T]"], applies: Callable[[], bool] = lambda: True) -> Callable[[], None]:
        """As for all points. `applies` says whether `handler` may change anything at the moment."""
        self._applies = (*self._applies, applies)
        remove = super().add(handler)

        def remove_both() -> None:
            remove()
            self._applies = tuple(each for each in self._applies if each is not applies)

        return remove_both

    @property
    def applies(self) -> bool:
        """Whether a handler may change the next value."""
        return any(applies() for applies in self._applies)

    async def apply(self, value: T) -> T:
        """The final value. Raises `Refused` when a handler does, or fails, and `ZotError` when a handler does."""
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
    """All answers are kept, in order."""

    async def gather(self, value: T) -> list[U]:
        """What all handlers gave. A failing handler gives nothing."""
        answers: list[U] = []
        for handler in self._handlers:
            try:
                answers += await _resolve(handler(value)) or []
            except Exception as error:  # noqa: BLE001  around a hook
                _log_failure(handler, error)
        return answers


class Hooks:
    """The points of one agent, in the order in which a run passes them."""

    def __init__(self) -> None:
        self.event: Observe[AgentEvent] = Observe()
        """Every event, as it happens."""
        self.message: Observe[Message] = Observe()
        """A message has joined the transcript; comes before the event that reports it."""
        self.system_prompt: Transform[str] = Transform()
        """The system prompt; once for a session, again after the model, tools or session changed."""
        self.before_turn: Gate[int] = Gate()
        """May there be another model call? Asked before `turn_start`, with the number the step would have."""
        self.extra_messages: Collect[int, Message] = Collect()
        """User messages to add before the model call of this step."""
        self.before_model_call: Gate[int] = Gate()
        """May this turn go on? Asked after the event `turn_start`; a refusal ends the run without an error."""
        self.request: Transform[Request] = Transform()
        """The request as it will be sent. A refusal fails the turn."""
        self.call_failed: Transform[ModelCallFailure] = Transform()
        """A model call that failed; with `again` it is made once more in the same turn, for the transcript as it then
        is. Asked once a turn."""
        self.assistant_message: Transform[str] = Transform(ignored="")
        """What a person sees of an answer with text; the model keeps its own words. A refusal hides the text, empty
        text changes nothing."""
        self.tool_call: Transform[ToolRequest] = Transform()
        """The arguments a tool will get. A refusal becomes the error result the model reads."""
        self.tool_run: Gate[ToolRequest] = Gate()
        """May this call run, with the arguments as they are now? Asked last before it does: confirmation."""
        self.tool_result: Transform[ToolOutcome] = Transform()
        """The result as the model will read it. A refusal replaces it by an error."""
        self.before_stop: Collect[int, Message] = Collect()
        """User messages to go on with where the run would end after this step; it ends if there are none."""
        self.compacted: Observe[Compaction] = Observe()
        """The transcript is about to be compacted; comes before that, and before the event that reports it."""
