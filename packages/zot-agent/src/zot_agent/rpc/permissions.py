"""The commands on permissions: `permission_response`, `set_permission_mode`."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from zot_agent.rpc.method import CommandField, InvalidCommand, Method
from zot_core.confirm import PermissionAnswer
from zot_core.permission_mode import MODES
from zot_provider.errors import UnknownName

if TYPE_CHECKING:
    from zot_agent.operations.answers import ModeInfo
    from zot_agent.rpc.context import CommandContext

_Choice: TypeAlias = Literal["yes", "always", "no"]


def permission_response(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Answer a request for a permission."""
    choice = fields["answer"]
    if choice not in get_args(_Choice):
        raise UnknownName.among("answer", choice, get_args(_Choice))
    answer = PermissionAnswer(cast("_Choice", choice), fields.get("message", ""))
    if not context.permissions.answer(fields["request"], answer):
        raise InvalidCommand(f"no permission_request {fields['request']!r} waits for an answer")


def set_permission_mode(context: "CommandContext", fields: dict[str, Any]) -> "ModeInfo":
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
    ),
)
