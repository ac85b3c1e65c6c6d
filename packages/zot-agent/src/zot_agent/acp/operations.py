"""The operations as extension methods of ACP: `_zot/session.tree`."""

import json
from collections.abc import Awaitable
from typing import Any

from zot_agent.acp.session import AcpSession
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.registry import find_for_client
from zot_agent.operations.stored_sessions import StoredSessions
from zot_core.errors import Busy


async def operate(session: AcpSession, stored: StoredSessions, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Carry out an operation on an open session, and return its answer, empty if it has none. `stored` are the sessions
    that all requests read in turn. `method` is without the underscore of extension methods. Raises `OperationFailed`
    for another method, and what the operation raises."""
    if not method.startswith("zot/"):
        raise OperationFailed("unsupported", f"unknown operation '_{method}'")
    name = method.removeprefix("zot/")
    operation = find_for_client(name)
    if operation.name != name:
        raise OperationFailed("unsupported", f"{name} is called {operation.name} now")
    if operation.when == "idle" and session.busy:  # also while the prompt is not in the queue yet
        raise Busy("the agent is busy; wait for done, or abort")
    answer = operation.answer(OperationCaller(session.conversation, stored, session.host), params)
    found = await answer if isinstance(answer, Awaitable) else answer
    return json.loads(found) if isinstance(found, str) else dict(found or {})
