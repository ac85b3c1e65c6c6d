"""The operations as calls of extensions."""

from typing import TYPE_CHECKING

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.registry import find

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from zot_agent.extensions.calls.call import CallAnswer, ExtensionCall


def operate(call: "ExtensionCall", name: str) -> "Awaitable[CallAnswer] | None":
    """Carry out the operation that a call names; None if it names none. Its group has been checked."""
    operation = find(name)
    if operation is None:
        return None
    limits = call.services.limits
    caller = OperationCaller(
        call.conversation,
        call.services.stored,
        call.extension,
        call.connection.permissions.restore,
        limits.entry_bytes,
        limits.result_bytes,
    )
    return operation.answer(caller, call.params)
