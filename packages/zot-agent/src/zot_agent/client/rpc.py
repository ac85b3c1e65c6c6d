"""`RpcClient`: every command of `zot rpc` as a method."""

import asyncio
import base64
import itertools
import json
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypedDict, cast
from weakref import WeakSet

from zot_agent.client.answers import CommandInfo, Event, Hello, Image, Message, ModelInfo, State
from zot_agent.client.link import DEFAULT_LIMITS, ClientLimits, Disconnected, Link
from zot_agent.client.operation import Operation
from zot_core.aio import spawn
from zot_core.event_queue import EventQueue
from zot_provider.errors import ZotError
from zot_provider.json_text import dump

TOKEN = "ZOTCORE_RPC_TOKEN"
"""The environment variable with the secret that `hello` must name, if it is set and not empty."""

_LOOK_EVERY = 64
"""Events between two looks at how many wait."""


class RpcError(ZotError):
    """`zot rpc` refused `command`, or did not answer it in time; `str()` is its own message."""

    def __init__(self, command: str, message: str) -> None:
        super().__init__(message)
        self.command = command


class _Answer(TypedDict, total=False):
    success: bool
    data: dict[str, Any]
    error: str


class RpcClient:
    """A `zot rpc` process and what is going on in it. `start` makes one.

    Methods raise `RpcError` when the command is refused and `Disconnected` when the process has ended.
    """

    hello: Hello
    """Who answers, as of the start."""

    def __init__(self, limits: ClientLimits) -> None:
        self.limits = limits
        self.events = EventQueue[Event](self._taken, limits.waiting_events)
        """What comes while no prompt of this client runs: notes and panels of extensions, the events of prompts that
        extensions submitted. If nobody iterates, the oldest go. Ends, or raises `Disconnected`, with the process."""
        self._ids = itertools.count(1)
        self._answers: dict[str, asyncio.Future[_Answer]] = {}
        self._asked: dict[str, Operation] = {}
        self._operations: deque[Operation | None] = deque()
        self._unread: WeakSet[EventQueue[Event]] = WeakSet()
        self._told = 0
        self._link: Link | None = None
        self._lost: Disconnected | None = None

    @classmethod
    @asynccontextmanager
    async def start(
        cls,
        *,
        cwd: str | os.PathLike[str] = ".",
        provider: str = "",
        model: str = "",
        args: Sequence[str] = (),
        token: str | None = None,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "zot_agent", "rpc"),
        limits: ClientLimits = DEFAULT_LIMITS,
    ) -> AsyncGenerator["RpcClient"]:
        """Start `command` in the folder `cwd`, say hello, and end the process when the block is left.

        `args` are further flags of `zot rpc`. `env` replaces the environment; with `token` the process asks for it, and
        is told it. A block that is left with an exception, or cancelled, leaves what runs no time to finish.
        """
        client = cls(limits)
        variables = dict(os.environ if env is None else env) | ({} if token is None else {TOKEN: token})
        flags = [*(["--provider", provider] if provider else []), *(["--model", model] if model else []), *args]
        link = client._link = Link([*command, *flags], os.fspath(cwd), variables, limits, client._take, client._end)
        patiently = False
        try:
            secret = {"token": variables[TOKEN]} if variables.get(TOKEN) else {}
            client.hello = cast(Hello, await client.request("hello", **secret))
            yield client
            patiently = True
        finally:
            await link.close(patiently=patiently)

    @property
    def pid(self) -> int:
        """The process id of `zot rpc`."""
        return self._connected.process.pid

    async def close(self) -> None:
        """End the process before the block is left: what runs and waits may finish, within the limits."""
        await self._connected.close()

    def prompt(self, message: str, images: Iterable[Image] = (), *, hold_text: bool = False) -> Operation:
        """Ask, at once or, behind other prompts, when they are done. Iterate over it for the events up to `done`.

        `hold_text` holds text deltas back where an extension may replace the text.
        """
        more: dict[str, Any] = {"images": list(images)} if images else {}
        return self._operate("prompt", message=message, **more, **({"hold_text": True} if hold_text else {}))

    def compact(self, instructions: str = "") -> Operation:
        """Put a summary in the place of all but the last messages; events up to `done`. `instructions` say what
        matters, to whoever writes the summary."""
        return self._operate("compact", **({"instructions": instructions} if instructions else {}))

    async def abort(self) -> None:
        """Stop what runs now, if anything; what waits in the queue runs next."""
        await self.request("abort")

    async def steer(self, message: str) -> None:
        """Say something that the model reads with its next call, while a prompt is being answered."""
        await self.request("steer", message=message)

    async def follow_up(self, message: str) -> None:
        """Say something more as part of the prompt that is being answered, when the model would be done."""
        await self.request("follow_up", message=message)

    async def get_state(self) -> State:
        """What the agent is doing."""
        return cast(State, await self.request("get_state"))

    async def get_messages(self) -> list[Message]:
        """The conversation."""
        return cast("list[Message]", (await self.request("get_messages"))["messages"])

    async def clear(self) -> None:
        """Forget the conversation."""
        await self.request("clear")

    async def new_session(self) -> str:
        """Begin anew, with a new session file if there was one; its id, empty without."""
        return str((await self.request("new_session"))["session_id"])

    async def set_model(self, model: str, *, provider: str = "") -> str:
        """Continue with another model, of any provider that there is a key for; its whole id. `model` is an id, the
        beginning of one, or PROVIDER/ID."""
        return str((await self.request("set_model", model=model, provider=provider))["model"])

    async def set_reasoning(self, reasoning: str) -> None:
        """Have the model think this much: `off minimum low medium high xhigh max`."""
        await self.request("set_reasoning", reasoning=reasoning)

    async def set_tools(self, tools: Sequence[str]) -> list[str]:
        """Give the model these built-in tools; all that it has then, those of extensions among them."""
        return cast("list[str]", (await self.request("set_tools", tools=list(tools)))["tools"])

    async def get_models(self) -> list[ModelInfo]:
        """The models of this provider."""
        return cast("list[ModelInfo]", (await self.request("get_models"))["models"])

    async def list_models_all(self) -> list[ModelInfo]:
        """The models of every provider."""
        return cast("list[ModelInfo]", (await self.request("list_models_all"))["models"])

    async def ping(self) -> None:
        """Wait for an answer."""
        await self.request("ping")

    async def get_commands(self) -> list[CommandInfo]:
        """The slash commands of skills and extensions."""
        return cast("list[CommandInfo]", (await self.request("get_commands"))["commands"])

    async def command(self, name: str, args: str = "") -> str:
        """Run a slash command of a skill or an extension; its action. What it wants shown comes as events, and so does
        all of a prompt that it submits."""
        return str((await self.request("command", name=name, args=args))["action"])

    async def reload_ext(self) -> dict[str, Any]:
        """Stop the extensions, look again for what there is, start that; how many of each."""
        return await self.request("reload_ext")

    async def ext_panel_key(self, key: str, text: str = "") -> None:
        """Hand a key to the open panel: `up`, `enter`, ..., or `rune` with the character as `text`."""
        await self.request("ext_panel_key", key=key, text=text)

    async def ext_panel_close(self) -> None:
        """Close the open panel."""
        await self.request("ext_panel_close")

    async def request(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send any command and wait for the `data` of its response, empty if it has none."""
        _, answer = self._send(type, fields)
        return await self._answered(type, answer)

    async def _answered(self, command: str, answer: "asyncio.Future[_Answer]") -> dict[str, Any]:
        try:
            async with asyncio.timeout(self.limits.answer_seconds):
                found = await answer
        except TimeoutError:
            raise RpcError(command, f"{command}: no answer in {self.limits.answer_seconds:g} s") from None
        if not found.get("success"):
            raise RpcError(command, found.get("error", "refused without a reason"))
        return found.get("data") or {}

    def _send(self, type: str, fields: dict[str, Any]) -> "tuple[str, asyncio.Future[_Answer]]":
        if self._lost is not None:
            raise self._lost
        id = str(next(self._ids))
        line = dump({"id": id, "type": type, **fields}).encode("utf-8", "replace") + b"\n"
        if len(line) > self.limits.sent_bytes:
            raise RpcError(type, f"{type} is longer than {self.limits.sent_bytes} bytes, which zot rpc does not read")
        if self._connected.full:
            raise RpcError(type, f"{self.limits.unsent_bytes} bytes wait for zot rpc, which does not read")
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._answers[id] = answer
        answer.add_done_callback(lambda _: self._answers.pop(id, None))
        self._connected.send(line)
        self._connected.resume()
        return id, answer

    def _operate(self, type: str, **fields: Any) -> Operation:
        id, answer = self._send(type, fields)

        async def started() -> bool:
            try:
                return bool((await self._answered(type, answer)).get("queued"))
            except ZotError as error:
                operation.fail(error)
                raise
            finally:
                if operation.cancelled:
                    asyncio.get_running_loop().call_soon(self._abort, operation)

        task = spawn(started(), type)
        task.add_done_callback(lambda task: task.cancelled() or task.exception())  # told by iterating, too
        operation = Operation(task, EventQueue(self._taken), self._abort)
        self._asked[id] = operation
        self._unread.add(operation.events)
        return operation

    def _take(self, line: bytes) -> None:
        """A line came."""
        try:
            event = json.loads(line)
        except ValueError:
            return  # not ours: something printed by a wrapper
        if not isinstance(event, dict):
            return
        if event.get("type") == "response":
            self._respond(str(event.get("id")), event)
        else:
            self._tell(event)

    def _respond(self, id: str, event: Event) -> None:
        operation, answer = self._asked.pop(id, None), self._answers.get(id)
        if operation is not None and event.get("success"):
            # Its events follow, and come behind those of all before it. Of one that was given up nobody wants them.
            self._operations.append(None if operation.done else operation)
        if answer is not None and not answer.done():
            answer.set_result(cast(_Answer, event))

    def _tell(self, event: Event) -> None:
        type = event.get("type")
        current = self._operations[0] if self._operations else None
        if type == "ext_submit":
            self._operations.append(None)  # an extension's prompt has its place in the queue
        if current is None:
            self.events.put(event)
        else:
            current.tell(event)
            if current.cancelled:
                self._abort(current)
        if type == "done" and self._operations:
            self._operations.popleft()
        self._told += 1
        if not self._told % _LOOK_EVERY:
            self._hold()

    def _abort(self, operation: Operation) -> None:
        """Have an operation stopped, once: now if it runs, else when it begins. Nobody reads its events."""
        operation.events.clear()
        first = bool(self._operations) and self._operations[0] is operation
        reachable = self._lost is None and not self._connected.full
        if first and not (operation.aborted or operation.done) and operation.runs and reachable:
            operation.aborted = True
            self._send("abort", {})

    def _hold(self) -> None:
        """Read no more while events enough wait for somebody who takes his time, unless a command waits for its
        response, which stands behind the events."""
        unread = list(self._unread)
        if self._link is None or self._answers or any(events.reader_waiting for events in unread):
            return
        if sum(map(len, unread)) >= self.limits.waiting_events:
            self._link.pause()

    def _taken(self) -> None:
        if self._link is not None and self._lost is None:
            self._link.resume()

    def _end(self, text: str) -> None:
        """The process is gone: everybody who waits is told."""
        self._lost = Disconnected(text)
        for answer in list(self._answers.values()):
            if not answer.done():
                answer.set_exception(self._lost)
                answer.exception()  # seen, should nobody wait
        for operation in [*self._operations, *self._asked.values()]:
            if operation is not None:
                operation.fail(self._lost)
        self._operations.clear()
        self.events.end(self._lost)

    @property
    def _connected(self) -> Link:
        assert self._link is not None, "start() gives it"
        return self._link


def image(data: bytes, mime_type: str) -> Image:
    """An image for `prompt`, of the bytes of its file."""
    return {"mime_type": mime_type, "data": base64.b64encode(data).decode("ascii")}
