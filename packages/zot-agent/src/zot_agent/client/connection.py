"""`RpcConnection`: a `zot rpc` process, its commands and the events of its prompts."""

import asyncio
import itertools
import json
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypedDict, TypeVar, cast
from weakref import WeakSet

from zot_agent.client.link import DEFAULT_LIMITS, ClientLimits, Disconnected, RpcProcess
from zot_agent.client.operation import Operation
from zot_agent.operations.answers import Event, ServerInfo
from zot_agent.operations.names import ALIASES, WAITS
from zot_core.aio import spawn
from zot_core.event_queue import EventQueue
from zot_provider.errors import ZotError
from zot_provider.json_text import dump

C = TypeVar("C", bound="RpcConnection")


TOKEN = "ZOTCORE_RPC_TOKEN"
"""The environment variable with the secret for `hello`; unset or empty for none."""

BY_HAND = frozenset(("hello", "prompts.send", "control.compact"))
"""Operations that the client writes by hand, because more belongs to them, such as the events that follow."""

_CHECK_INTERVAL = 64
"""Events between two checks of how many wait."""


class RpcError(ZotError):
    """`zot rpc` refused `command` or did not answer it in time; `str()` is the error message, and `code` says why in
    one word, as `FailureCode` has them."""

    def __init__(self, command: str, message: str, code: str) -> None:
        super().__init__(message)
        self.command = command
        self.code = code


class _Response(TypedDict, total=False):
    success: bool
    data: dict[str, Any]
    error: str
    code: str


class RpcConnection:
    """A `zot rpc` process and its prompts.

    Methods raise `RpcError` when the command is refused and `Disconnected` when the process has ended.
    """

    hello: ServerInfo
    """The server, as of the start."""

    def __init__(
        self, limits: ClientLimits, open: "Callable[[Callable[[bytes], None], Callable[[str], None]], RpcProcess]"
    ) -> None:
        """`open` starts the process, of which the first function gets every line, and the second the reason of its end.
        Raises what it raises."""
        self.limits = limits
        self.events = EventQueue[Event](self._resume_reading, limits.waiting_events)
        """The events while no prompt of this client runs: notes and panels of extensions, and the events of prompts
        that extensions submit. If nothing iterates, the oldest are dropped. Ends, or raises `Disconnected`, with the
        process."""
        self._ids = itertools.count(1)
        self._answers: dict[str, asyncio.Future[_Response]] = {}
        self._requested: dict[str, Operation] = {}
        self._operations: deque[Operation | None] = deque()
        self._unread: WeakSet[EventQueue[Event]] = WeakSet()
        self._event_count = 0
        self._lost: Disconnected | None = None
        self._process = open(self._received, self._end)

    @classmethod
    @asynccontextmanager
    async def start(
        cls: type[C],
        *,
        cwd: str | os.PathLike[str] = ".",
        provider: str = "",
        model: str = "",
        args: Sequence[str] = (),
        token: str | None = None,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "zot_agent", "rpc"),
        limits: ClientLimits = DEFAULT_LIMITS,
    ) -> AsyncGenerator[C]:
        """Start `command` in the folder `cwd`, say hello, and end the process when the block is left.

        `args` are further flags of `zot rpc`. `env` replaces the environment. With `token` the process requires that
        token, and the client sends it. If the block ends with an exception or is cancelled, running prompts are not
        finished.
        """
        variables = dict(os.environ if env is None else env) | ({} if token is None else {TOKEN: token})
        flags = [*(["--provider", provider] if provider else []), *(["--model", model] if model else []), *args]
        client = cls(limits, partial(RpcProcess, [*command, *flags], os.fspath(cwd), variables, limits))
        patiently = False
        try:
            secret = {"token": variables[TOKEN]} if variables.get(TOKEN) else {}
            client.hello = cast(ServerInfo, await client.request("hello", **secret))
            yield client
            patiently = True
        finally:
            await client._process.close(patiently=patiently)

    @property
    def pid(self) -> int:
        """The process id of `zot rpc`."""
        return self._process.process.pid

    async def close(self) -> None:
        """End the process before the end of the block. Running and waiting prompts may finish, within the limits."""
        await self._process.close()

    async def request(self, type: str, **fields: Any) -> Any:
        """Send any command, without the fields that are None, and return the `data` of its response, an empty object if
        it has none."""
        _, answer = self._send(type, fields)
        waits = ALIASES.get(type, type) in WAITS
        return await self._answered(type, answer, self.limits.patient_seconds if waits else self.limits.answer_seconds)

    async def _answered(self, command: str, answer: "asyncio.Future[_Response]", limit: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout(limit):
                response = await answer
        except TimeoutError:
            raise RpcError(command, f"{command}: no answer in {limit:g} s", "timeout") from None
        if not response.get("success"):
            raise RpcError(command, response.get("error", "refused without a reason"), response.get("code", "failed"))
        return response.get("data") or {}

    def _send(self, type: str, fields: dict[str, Any]) -> "tuple[str, asyncio.Future[_Response]]":
        if self._lost is not None:
            raise self._lost
        id = str(next(self._ids))
        given = {name: value for name, value in fields.items() if value is not None}
        line = dump({"id": id, "type": type, **given}).encode("utf-8", "replace") + b"\n"
        if len(line) > self.limits.sent_bytes:
            raise RpcError(
                type, f"{type} is longer than {self.limits.sent_bytes} bytes, which zot rpc does not read", "too_large"
            )
        if self._process.full:
            raise RpcError(type, f"{self.limits.unsent_bytes} bytes wait for zot rpc, which does not read", "busy")
        answer: asyncio.Future[_Response] = asyncio.get_running_loop().create_future()
        self._answers[id] = answer
        answer.add_done_callback(lambda _: self._answers.pop(id, None))
        self._process.send(line)
        self._process.resume()
        return id, answer

    def _operate(self, type: str, **fields: Any) -> Operation:
        id, answer = self._send(type, fields)

        async def started() -> bool:
            try:
                return bool((await self._answered(type, answer, self.limits.answer_seconds)).get("queued"))
            except ZotError as error:
                operation.fail(error)
                raise
            finally:
                if operation.cancelled:
                    asyncio.get_running_loop().call_soon(self._abort, operation)

        task = spawn(started(), type)
        task.add_done_callback(lambda task: task.cancelled() or task.exception())  # iterating raises it too
        operation = Operation(task, EventQueue(self._resume_reading), self._abort)
        self._requested[id] = operation
        self._unread.add(operation.events)
        return operation

    def _received(self, line: bytes) -> None:
        """Handle a line of the process."""
        try:
            event = json.loads(line)
        except ValueError:
            return  # printed by a wrapper of the process
        if not isinstance(event, dict):
            return
        if event.get("type") == "response":
            self._resolve(str(event.get("id")), event)
        else:
            self._dispatch(event)

    def _resolve(self, id: str, event: Event) -> None:
        operation, answer = self._requested.pop(id, None), self._answers.get(id)
        if operation is not None and event.get("success"):
            # Its events follow those of all accepted before it. The events of an abandoned operation are dropped.
            self._operations.append(None if operation.done else operation)
        if answer is not None and not answer.done():
            answer.set_result(cast(_Response, event))

    def _dispatch(self, event: Event) -> None:
        type = event.get("type")
        current = self._operations[0] if self._operations else None
        if type == "ext_submit":
            self._operations.append(None)  # the prompt of an extension has its place in the queue
        if current is None:
            self.events.put(event)
        else:
            current.receive(event)
            if current.cancelled:
                self._abort(current)
        if type == "done" and self._operations:
            self._operations.popleft()
        self._event_count += 1
        if not self._event_count % _CHECK_INTERVAL:
            self._pause_if_full()

    def _abort(self, operation: Operation) -> None:
        """Abort an operation once: now if it runs, otherwise when it begins. Its events are dropped."""
        operation.events.clear()
        first = bool(self._operations) and self._operations[0] is operation
        reachable = self._lost is None and not self._process.full
        if first and not (operation.aborted or operation.done) and operation.runs and reachable:
            operation.aborted = True
            self._send("abort", {})

    def _pause_if_full(self) -> None:
        """Pause reading while too many events wait for a slow caller, unless a command waits for its response, which
        comes after the events."""
        unread = list(self._unread)
        if self._answers or any(events.reader_waiting for events in unread):
            return
        if sum(map(len, unread)) >= self.limits.waiting_events:
            self._process.pause()

    def _resume_reading(self) -> None:
        if self._lost is None:
            self._process.resume()

    def _end(self, text: str) -> None:
        """Fail everything that waits, because the process has ended."""
        self._lost = Disconnected(text)
        for answer in list(self._answers.values()):
            if not answer.done():
                answer.set_exception(self._lost)
                answer.exception()  # mark it as seen, in case nothing waits
        for operation in [*self._operations, *self._requested.values()]:
            if operation is not None:
                operation.fail(self._lost)
        self._operations.clear()
        self.events.end(self._lost)
