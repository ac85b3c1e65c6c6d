"""The operation on the mode of permissions, for whom the machine belongs to."""

from typing import Annotated, Literal, TypeAlias, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.operation import operation
from zot_core.permission_mode import PermissionMode
from zot_ext.protocol.fields import OnlyIf

Choice: TypeAlias = Literal["yes", "always", "no"]
RefusalReason: TypeAlias = Annotated[str, OnlyIf("answer", ("no",))]


class ModeInfo(TypedDict):
    """The fate of tool calls that no rule names."""

    mode: PermissionMode


@operation("permissions.mode", scope="own")
def set_mode(caller: OperationCaller, mode: PermissionMode) -> ModeInfo:
    """Set what becomes of tool calls that no rule names, from the next call on.

    mode: `ask`, `accept-edits`, `plan` or `yolo`.
    """
    caller.conversation.permissions.mode = mode
    return {"mode": mode}
