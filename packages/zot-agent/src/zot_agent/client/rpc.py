"""`RpcClient`: every command of `zot rpc` as a method."""

# Longer than 400 lines: each command is a method of one class.

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

from zot_agent.client.answers import (
    CommandInfo,
    ContextInfo,
    Event,
    FileDiffInfo,
    Image,
    JobInfo,
    MessageInfo,
    ModelInfo,
    MoveInfo,
    ServerInfo,
    StateInfo,
    TreeInfo,
)
from zot_agent.client.link import DEFAULT_LIMITS, ClientLimits, Disconnected, RpcProcess
from zot_agent.client.operation import Operation
from zot_core.aio import spawn
from zot_core.event_queue import EventQueue
from zot_provider.errors import ZotError
from zot_provider.json_text import dump

TOKEN = "ZOTCORE_RPC_TOKEN"
"""The environment variable with the secret for `hello`; unset or empty for none."""

_CHECK_INTERVAL = 64
"""Events between two checks of how many wait."""


class RpcError(ZotError):
    """`zot rpc` refused `command` or did not answer it in time; `str()` is the error message. `code` is empty, or
    "session_locked" if another process has the session open."""

    def __init__(self, command: str, message: str, code: str = "") -> None:
        super().__init__(message)
        self.command = command
        self.code = code


class _Response(TypedDict, total=False):
    success: bool
    data: dict[str, Any]
    error: str
    code: str


class RpcClient:
    """A `zot rpc` process and its prompts. `start` makes one.

    Methods raise `RpcError` when the command is refused and `Disconnected` when the process has ended.
    """

    hello: ServerInfo
    """The server, as of the start."""

    def __init__(self, limits: ClientLimits) -> None:
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
        self._process: RpcProcess | None = None
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

        `args` are further flags of `zot rpc`. `env` replaces the environment. With `token` the process requires that
        token, and the client sends it. If the block ends with an exception or is cancelled, running prompts are not
        finished.
        """
        client = cls(limits)
        variables = dict(os.environ if env is None else env) | ({} if token is None else {TOKEN: token})
        flags = [*(["--provider", provider] if provider else []), *(["--model", model] if model else []), *args]
        process = client._process = RpcProcess(
            [*command, *flags], os.fspath(cwd), variables, limits, client._received, client._end
        )
        patiently = False
        try:
            secret = {"token": variables[TOKEN]} if variables.get(TOKEN) else {}
            client.hello = cast(ServerInfo, await client.request("hello", **secret))
            yield client
            patiently = True
        finally:
            await process.close(patiently=patiently)

    @property
    def pid(self) -> int:
        """The process id of `zot rpc`."""
        return self._connected.process.pid

    async def close(self) -> None:
        """End the process before the end of the block. Running and waiting prompts may finish, within the limits."""
        await self._connected.close()

    def prompt(self, message: str, images: Iterable[Image] = (), *, hold_text: bool = False) -> Operation:
        """Send a prompt; it is queued while others run. Iterate over the result for the events up to `done`.

        `hold_text` holds back text deltas while an extension may replace the text.
        """
        more: dict[str, Any] = {"images": list(images)} if images else {}
        return self._operate("prompt", message=message, **more, **({"hold_text": True} if hold_text else {}))

    def compact(self, instructions: str = "") -> Operation:
        """Replace all but the last messages with a summary; events up to `done`. `instructions` say what the summary
        must keep."""
        return self._operate("compact", **({"instructions": instructions} if instructions else {}))

    async def abort(self) -> None:
        """Stop the running prompt, if any; the next one in the queue then runs."""
        await self.request("abort")

    async def steer(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it with its next call."""
        await self.request("steer", message=message)

    async def follow_up(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it when it would otherwise stop."""
        await self.request("follow_up", message=message)

    async def permission_response(self, request: str, answer: str, message: str = "") -> None:
        """Answer an event `permission_request` with `yes`, `always` or `no`; `message` says to the model why not."""
        await self.request("permission_response", request=request, answer=answer, message=message)

    async def set_permission_mode(self, mode: str) -> None:
        """Set what becomes of tool calls that no rule names: `ask accept-edits plan yolo`."""
        await self.request("set_permission_mode", mode=mode)

    async def get_state(self) -> StateInfo:
        """Return the state of the agent."""
        return cast(StateInfo, await self.request("get_state"))

    async def get_messages(self) -> list[MessageInfo]:
        """Return all messages of the conversation."""
        return cast("list[MessageInfo]", (await self.request("get_messages"))["messages"])

    async def get_context(self) -> ContextInfo:
        """Return what fills the context window, part by part."""
        return cast(ContextInfo, await self.request("get_context"))

    async def clear(self) -> None:
        """Delete all messages of the conversation."""
        await self.request("clear")

    async def new_session(self) -> str:
        """Start a new session, with a new file if there was one. Returns its id, empty without a file."""
        return str((await self.request("new_session"))["session_id"])

    async def get_tree(self) -> TreeInfo:
        """Return the entries of the session, of all its branches."""
        return cast(TreeInfo, await self.request("get_tree"))

    async def go_to(
        self,
        entry: str,
        *,
        before: bool = False,
        summarise: bool = False,
        restore: str = "conversation",
        force: bool = False,
    ) -> MoveInfo:
        """Continue after this entry, or with `before` after the one before it. With `summarise` the model first writes
        a summary of what is left, which `abort` stops. `restore`: `conversation`, `files` or `both`; see `undo`."""
        fields = {"entry": entry, "before": before, "summarise": summarise, "restore": restore, "force": force}
        _, answer = self._send("go_to", fields)
        limit = self.limits.summary_seconds if summarise else self.limits.answer_seconds
        return cast(MoveInfo, await self._answered("go_to", answer, limit))

    async def undo(self, *, force: bool = False) -> MoveInfo:
        """Go back to before the last prompt, with the files. `force` overwrites files that have changed since."""
        return cast(MoveInfo, await self.request("undo", force=force))

    async def redo(self, *, force: bool = False) -> MoveInfo:
        """Take back the last undo, if nothing was asked since."""
        return cast(MoveInfo, await self.request("redo", force=force))

    async def diff(self) -> list[FileDiffInfo]:
        """Return the files that differ from what they were before the session."""
        return cast("list[FileDiffInfo]", (await self.request("diff"))["files"])

    async def fork(self, entry: str = "", *, before: bool = False) -> str:
        """Continue in a copy of the session up to this entry, or of all of it, and return the id of the new session,
        empty without a session file."""
        return str((await self.request("fork", entry=entry, before=before))["session_id"])

    async def set_label(self, entry: str, label: str) -> None:
        """Give an entry a label; an empty one removes it."""
        await self.request("set_label", entry=entry, label=label)

    async def get_jobs(self) -> list[JobInfo]:
        """List the commands in the background of the session."""
        return cast("list[JobInfo]", (await self.request("get_jobs"))["jobs"])

    async def stop_job(self, job: str) -> JobInfo:
        """Stop a command in the background with everything that it started."""
        return cast(JobInfo, (await self.request("stop_job", job=job))["job"])

    async def set_model(self, model: str, *, provider: str = "") -> str:
        """Switch to another model, of any provider with a key, and return its full id. `model` is an id, its prefix, or
        PROVIDER/ID."""
        return str((await self.request("set_model", model=model, provider=provider))["model"])

    async def set_reasoning(self, reasoning: str) -> None:
        """Set how much the model thinks: `off minimum low medium high xhigh max`."""
        await self.request("set_reasoning", reasoning=reasoning)

    async def set_tools(self, tools: Sequence[str]) -> list[str]:
        """Set the built-in tools. Returns the names of all tools, including those of extensions."""
        return cast("list[str]", (await self.request("set_tools", tools=list(tools)))["tools"])

    async def get_models(self) -> list[ModelInfo]:
        """List the models of the current provider."""
        return cast("list[ModelInfo]", (await self.request("get_models"))["models"])

    async def list_models_all(self) -> list[ModelInfo]:
        """List the models of all providers."""
        return cast("list[ModelInfo]", (await self.request("list_models_all"))["models"])

    async def ping(self) -> None:
        """Check that the process answers."""
        await self.request("ping")

    async def get_commands(self) -> list[CommandInfo]:
        """List the slash commands of prompt templates, skills and extensions."""
        return cast("list[CommandInfo]", (await self.request("get_commands"))["commands"])

    async def command(self, name: str, args: str = "") -> str:
        """Run a slash command of a prompt template, a skill or an extension, and return its action. Its output, and a
        prompt that it submits, come as events."""
        return str((await self.request("command", name=name, args=args))["action"])

    async def reload_ext(self) -> dict[str, Any]:
        """Stop the extensions, read their manifests again and start them. Returns the counts."""
        return await self.request("reload_ext")

    async def ext_panel_key(self, key: str, text: str = "") -> None:
        """Send a key to the open panel: `up`, `enter`, ..., or `rune` with the character as `text`."""
        await self.request("ext_panel_key", key=key, text=text)

    async def ext_panel_close(self) -> None:
        """Close the open panel."""
        await self.request("ext_panel_close")

    async def request(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send any command and return the `data` of its response, empty if it has no data."""
        _, answer = self._send(type, fields)
        return await self._answered(type, answer, self.limits.answer_seconds)

    async def _answered(self, command: str, answer: "asyncio.Future[_Response]", limit: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout(limit):
                response = await answer
        except TimeoutError:
            raise RpcError(command, f"{command}: no answer in {limit:g} s") from None
        if not response.get("success"):
            raise RpcError(command, response.get("error", "refused without a reason"), response.get("code", ""))
        return response.get("data") or {}

    def _send(self, type: str, fields: dict[str, Any]) -> "tuple[str, asyncio.Future[_Response]]":
        if self._lost is not None:
            raise self._lost
        id = str(next(self._ids))
        line = dump({"id": id, "type": type, **fields}).encode("utf-8", "replace") + b"\n"
        if len(line) > self.limits.sent_bytes:
            raise RpcError(type, f"{type} is longer than {self.limits.sent_bytes} bytes, which zot rpc does not read")
        if self._connected.full:
            raise RpcError(type, f"{self.limits.unsent_bytes} bytes wait for zot rpc, which does not read")
        answer: asyncio.Future[_Response] = asyncio.get_running_loop().create_future()
        self._answers[id] = answer
        answer.add_done_callback(lambda _: self._answers.pop(id, None))
        self._connected.send(line)
        self._connected.resume()
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
        reachable = self._lost is None and not self._connected.full
        if first and not (operation.aborted or operation.done) and operation.runs and reachable:
            operation.aborted = True
            self._send("abort", {})

    def _pause_if_full(self) -> None:
        """Pause reading while too many events wait for a slow caller, unless a command waits for its response, which
        comes after the events."""
        unread = list(self._unread)
        if self._process is None or self._answers or any(events.reader_waiting for events in unread):
            return
        if sum(map(len, unread)) >= self.limits.waiting_events:
            self._process.pause()

    def _resume_reading(self) -> None:
        if self._process is not None and self._lost is None:
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

    @property
    def _connected(self) -> RpcProcess:
        assert self._process is not None, "start() sets it"
        return self._process


def image(data: bytes, mime_type: str) -> Image:
    """Return an image for `prompt` from the bytes of its file."""
    return {"mime_type": mime_type, "data": base64.b64encode(data).decode("ascii")}
