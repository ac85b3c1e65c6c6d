"""The operations as methods of the client. Their types are in `operations.pyi`, which `make generate` writes."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from zot_agent.client.connection import BY_HAND, RpcConnection
from zot_agent.operations.names import FIELDS
from zot_ext.calls.operations import given_fields


class OperationCommands(RpcConnection):
    """A method for each operation, as `session_fork` for `session.fork`; raises what `RpcClient` raises. An empty
    answer is None."""


def _method(operation: str, signature: Sequence[str]) -> Callable[..., Awaitable[Any]]:
    async def ask(self: OperationCommands, *values: object, **fields: object) -> Any:
        return await self.request(operation, **given_fields(operation, signature, values, fields)) or None

    return ask


for _operation, _signature in FIELDS.items():
    if _operation not in BY_HAND:  # their events would be taken for those of the next prompt
        setattr(OperationCommands, _operation.replace(".", "_"), _method(_operation, _signature))
