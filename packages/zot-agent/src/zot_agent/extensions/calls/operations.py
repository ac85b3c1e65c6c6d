"""The operations as calls of extensions."""

from typing import TYPE_CHECKING

from zot_agent.operations.caller import CallingExtension, OperationCaller
from zot_agent.operations.registry import find_for_client

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from zot_agent.extensions.calls.call import ExtensionCall
    from zot_agent.operations.operation import Answer


def operate(call: "ExtensionCall", name: str) -> "Answer | Awaitable[Answer]":
    """Carry out an operation. Its group has been checked."""
    operation, services, connection = find_for_client(name), call.services, call.connection

    async def answered() -> bool:
        await connection.pending.closed(call.parent)
        return connection.state == "running"

    extension = CallingExtension(
        call.extension,
        connection.terms.permissions,
        services.limits,
        services.tools,
        services.favourites,
        call.check_can_wait,
        answered,
        services.reload,
    )
    return operation.answer(OperationCaller(call.conversation, services.stored, extension=extension), call.params)
