"""The operations as extension methods of ACP: `_zot/session.tree`."""

import json
from collections.abc import Awaitable
from typing import Any

from acp.exceptions import RequestError

from zot_agent.host.host import Host
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.registry import find
from zot_agent.operations.stored_sessions import StoredSessions


async def operate(host: Host, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Carry out an operation on an open session, and return its answer, empty if it has none. `method` is without the
    underscore of extension methods. Raises `RequestError` for another method, and what the operation raises."""
    operation = find(method.removeprefix("zot/")) if method.startswith("zot/") else None
    if operation is None:
        raise RequestError.method_not_found(f"_{method}")
    answer = operation.answer(OperationCaller(host.conversation, StoredSessions(), host), params)
    found = await answer if isinstance(answer, Awaitable) else answer
    return json.loads(found) if isinstance(found, str) else dict(found or {})
