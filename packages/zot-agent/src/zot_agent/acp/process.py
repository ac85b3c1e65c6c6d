"""Runs `zot acp`: its streams, its signals, its exit code."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, cast

from acp.agent.router import build_agent_router
from acp.connection import Connection
from acp.exceptions import RequestError
from acp.interfaces import Agent
from acp.meta import AGENT_METHODS, CLIENT_METHODS
from acp.schema import DeleteSessionRequest, RequestPermissionResponse
from acp.utils import normalize_result
from pydantic import ValidationError

from zot_agent.acp.agent import AcpAgent
from zot_agent.acp.calls import Json
from zot_agent.acp.transport import StdioTransport
from zot_agent.host.options import HostOptions
from zot_agent.operations.failures import failure_code
from zot_agent.operations.fields import FailureCode
from zot_agent.rpc.limits import DEFAULT_LIMITS, RpcLimits
from zot_agent.signals import on_end_signals
from zot_core.errors import error_line
from zot_provider.errors import ConfigError, ZotError

_log = logging.getLogger("zot_agent.acp")

INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL, NOT_FOUND = -32600, -32601, -32602, -32603, -32002

_NUMBERS: dict[FailureCode, int] = {
    "unsupported": NO_METHOD,
    "busy": INVALID_REQUEST,
    "not_found": NOT_FOUND,
    "session_locked": INTERNAL,  # the request is right
    "failed": INTERNAL,
}


class CannotAsk(ZotError):
    """The client could not answer a question."""


class EditorConnection:
    """The connection to the client: handles its requests, and is the `Editor` of the sessions."""

    def __init__(self, options: HostOptions, transport: StdioTransport) -> None:
        self._transport = transport
        self.agent = AcpAgent(options, self)
        self._router = build_agent_router(cast("Agent", self.agent), use_unstable_protocol=True)
        # The package has the method's name and types, and no route for it.
        self._router.route_request(
            AGENT_METHODS["session_delete"],
            DeleteSessionRequest,
            self.agent,
            "delete_session",
            adapt_result=normalize_result,
        )
        self._connection = Connection(self._handle, transport, listening=False)
        self._requests: set[asyncio.Task[Any]] = set()

    async def serve(self) -> None:
        """Answer requests until the client closes its side or disconnects; then stop all sessions."""
        try:
            await self._connection.main_loop()
        finally:
            await self._stop()

    async def _stop(self) -> None:
        await asyncio.sleep(0)  # let the last received request start
        while self.agent.sessions or self._requests:
            await self.agent.close()
            if self._requests:  # prompts are answered now; a request may still open a session
                await asyncio.wait(self._requests)
        await self._transport.drain()
        await self._connection.close()

    async def _handle(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001  the package's
        task = asyncio.current_task()
        if task is not None and not is_notification:
            self._requests.add(task)
            task.add_done_callback(self._requests.discard)
        try:
            return await self._router(method, {} if params is None else params, is_notification)
        except RequestError:
            raise
        except ValidationError as error:
            raise RequestError(INVALID_PARAMS, _first_fault(error, "params"), {"code": "invalid"}) from None
        except ZotError as error:
            raise _refusal(error) from None
        except Exception as error:  # noqa: BLE001  the top of a request
            _log.error("the method %s failed", method, exc_info=error)
            text = f"this is a mistake in zot, please report it: {error_line(error)}"
            raise RequestError(INTERNAL, text, {"code": "failed"}) from None

    def update(self, session: str, update: Json) -> None:
        """Send a session update; see `Editor`."""
        params = {"sessionId": session, "update": update}
        self._transport.put({"jsonrpc": "2.0", "method": "session/update", "params": params})

    async def ask(self, session: str, call: Json, options: list[Json]) -> str:
        """Ask for a permission; see `Editor`."""
        params = {"sessionId": session, "toolCall": call, "options": options}
        try:
            answer = await self._connection.send_request("session/request_permission", params)
            outcome = RequestPermissionResponse.model_validate(answer).outcome
        except (RequestError, ConnectionError) as error:
            raise CannotAsk(" ".join(str(error).split())) from error
        except ValidationError as error:
            raise CannotAsk(_first_fault(error, "the answer")) from error
        if outcome.outcome != "selected":
            return ""
        if all(each["optionId"] != outcome.option_id for each in options):
            raise CannotAsk("the answer is an option that was not offered")
        return outcome.option_id

    @property
    def elicits(self) -> bool:
        return self.agent.elicits

    @property
    def shows(self) -> bool:
        return self.agent.shows

    async def elicit(self, session: str, message: str, schema: Json) -> Json | None:
        """Show a form; see `Editor`."""
        params = {"sessionId": session, "mode": "form", "message": message, "requestedSchema": schema}
        try:
            answer = await self._connection.send_request(CLIENT_METHODS["elicitation_create"], params)
        except (RequestError, ConnectionError) as error:
            raise CannotAsk(" ".join(str(error).split())) from error
        if not isinstance(answer, dict) or answer.get("action") not in ("accept", "decline", "cancel"):
            raise CannotAsk("the answer has no action that is accept, decline or cancel")
        content = answer.get("content")
        return None if answer["action"] != "accept" else content if isinstance(content, dict) else {}

    async def room(self) -> None:
        """Wait for the client; see `Editor`."""
        await self._transport.room()


def _first_fault(error: ValidationError, whole: str) -> str:
    """Return the first problem of an invalid value, in one line; `whole` names the value."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "model_type":  # pydantic's message names a class
        return f"{place or whole} must be an object"
    return " ".join(f"{place}: {first['msg']}".split()).removeprefix(": ")


def _refusal(error: ZotError) -> RequestError:
    """Return the error of a response; its data has the code that other clients of zot get."""
    code = failure_code(error)
    number = INVALID_PARAMS if isinstance(error, ConfigError) else _NUMBERS.get(code, INVALID_PARAMS)
    return RequestError(number, error_line(error), {"code": code})


async def serve(
    options: HostOptions,
    *,
    source: int,
    target: int,
    print_error: Callable[[str], None],
    limits: RpcLimits = DEFAULT_LIMITS,
) -> int:
    """Serve the client at the descriptors `source` and `target` until it closes `source`; return the exit code.

    Running work is then cancelled. The exit code is 0, also if the client disconnects; 1 for a client that stops
    reading; 128 plus the number for a signal. `print_error` gets messages that cannot be sent to the client.
    """
    codes: list[int] = []

    def disconnected(why: str) -> None:
        codes.append(1 if why else 0)
        if why:
            print_error(f"cannot write to standard output: {why}")

    def signalled(number: int) -> None:
        codes.append(128 + number)
        transport.end()

    transport = StdioTransport(limits, disconnected, source=source, target=target)
    on_end_signals(signalled)
    try:
        await EditorConnection(options, transport).serve()
    finally:
        await transport.close()
    return codes[0] if codes else 0
