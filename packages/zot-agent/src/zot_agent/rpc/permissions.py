"""Questions about tool calls over the protocol: `permission_request` events, and the command that answers them."""

import asyncio
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from zot_agent.rpc.method import Answer, CommandField, InvalidCommand, Method
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.conversation.events import PermissionRequest, PermissionResolved
from zot_core.permission_mode import MODES
from zot_provider.errors import UnknownName

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext
    from zot_core.conversation.driver import Conversation

_Choice: TypeAlias = Literal["yes", "always", "no"]


class PermissionRequests:
    """An `AskPermission` of `zot_core.confirm` that asks the clients. The first answer counts; none within `seconds` is
    a no."""

    def __init__(self, conversation: "Conversation", seconds: float) -> None:
        self._conversation, self._seconds = conversation, seconds
        self._open: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self._gone = False

    def close(self) -> None:
        """Refuse what waits and what is asked later: there is nobody to answer."""
        self._gone = True
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_result(PermissionAnswer("no", "nobody can be asked"))

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask the clients."""
        if self._gone:
            return PermissionAnswer("no", "nobody can be asked")
        answer: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._open[question.id] = answer
        call, events = question.call, self._conversation.events
        events.notify(
            PermissionRequest(question.id, call.id, call.name, call.arguments, question.reason, question.always)
        )
        given = PermissionAnswer("no")
        try:
            async with asyncio.timeout(self._seconds):
                given = await answer
        except TimeoutError:
            given = PermissionAnswer("no", f"nobody answered within {self._seconds:g} s")
        finally:
            del self._open[question.id]
            events.notify(PermissionResolved(question.id, given.choice))
        return given

    def answer(self, request: str, answer: PermissionAnswer) -> None:
        """Answer a request. Raises `InvalidCommand` if it is not open."""
        waiting = self._open.get(request)
        if waiting is None or waiting.done():
            raise InvalidCommand(f"no permission_request {request!r} waits for an answer")
        waiting.set_result(answer)


def permission_response(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Answer a request for a permission."""
    choice = fields["answer"]
    if choice not in get_args(_Choice):
        raise UnknownName.among("answer", choice, get_args(_Choice))
    context.permissions.answer(fields["request"], PermissionAnswer(cast("_Choice", choice), fields.get("message", "")))
    return None


def set_permission_mode(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Set what becomes of calls that no rule names."""
    mode = next((each for each in MODES if each == fields["mode"]), None)
    if mode is None:
        raise UnknownName.among("mode", fields["mode"], MODES)
    context.conversation.permissions.mode = mode
    return {"mode": mode}


METHODS = (
    Method(
        "permission_response",
        permission_response,
        "Answer an event `permission_request`: the tool call runs or is refused. The first answer counts.",
        (
            CommandField("request", "string", "The `request` of the event.", required=True),
            CommandField(
                "answer", "string", "yes, no, or always, which also adds the `rules` of the event.", required=True
            ),
            CommandField("message", "string", "With no: why, for the model."),
        ),
    ),
    Method(
        "set_permission_mode",
        set_permission_mode,
        "Set what becomes of tool calls that no rule names: ask, accept-edits, plan or yolo, from the next call on.",
        (CommandField("mode", "string", "The mode.", required=True),),
        '{"mode": "ask"}',
    ),
)
