"""`serve`: zot as an MCP server: a tool `ask`, answered by a child `zot rpc`."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
from anyio.abc import Process
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from zot_agent.mcp.wire.stdio import Lines, ServerLost
from zot_ext.version import __version__

END_SECONDS = 5.0
"""From the end of its input, or of an abort, to the end of the child's work; then it is killed."""
BEGIN_SECONDS = 60.0
"""For the beginning of another conversation."""
_ASK = (
    "Ask zot, a coding agent, to do something in the project that it was started in: to explain, to find, to change "
    "files, to run commands. It returns its answer when it is done. Later calls continue the conversation."
)
_NOBODY = "nobody can be asked over MCP; start zot mcp serve with a --permission-mode or with rules that allow this"


class AskFailed(ToolError):
    """zot could not answer; the client's model reads why."""


class ZotChild:
    """The conversation of one client: a process `zot rpc`, started with the first question."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: Process | None = None
        self._events = deque[dict[str, Any]]()
        self._lines = Lines()
        self._turn = anyio.Lock()
        self._asked = 0

    async def ask(self, text: str, step: Callable[[str], Awaitable[None]], *, new: bool) -> str:
        """Ask, and return the answer; `step` gets a line for each tool that zot calls. Questions wait for each other;
        a cancelled one stops zot. Raises `AskFailed`."""
        async with self._turn:
            await self._start()
            if new:
                await self._begin()
            self._asked += 1
            await self._send({"type": "prompt", "id": self._asked, "message": text})
            try:
                return await self._answer(self._asked, step)
            except BaseException as error:
                if not isinstance(error, AskFailed):  # it has not ended by itself
                    with anyio.CancelScope(shield=True):
                        await self._abort()
                raise

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with anyio.CancelScope(shield=True), contextlib.suppress(OSError, anyio.BrokenResourceError):
            if process.stdin is not None:
                await process.stdin.aclose()
            with anyio.move_on_after(END_SECONDS):
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def _start(self) -> None:
        if self._process is None or self._process.returncode is not None:
            self._events.clear()
            self._lines = Lines()
            self._process = await anyio.open_process(self._command, stderr=sys.stderr)

    async def _send(self, command: dict[str, Any]) -> None:
        if self._process is None or self._process.stdin is None:
            raise AskFailed("zot has ended")
        try:
            await self._process.stdin.send(f"{json.dumps(command)}\n".encode())
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise AskFailed("zot has ended") from None

    async def _begin(self) -> None:
        """Begin another conversation."""
        await self._send({"type": "session.new", "id": "new"})
        try:
            with anyio.fail_after(BEGIN_SECONDS):
                while (event := await self._next()).get("type") != "response" or event.get("id") != "new":
                    pass
        except TimeoutError:
            raise AskFailed(f"zot did not begin another conversation within {BEGIN_SECONDS:g} s") from None
        if not event.get("success"):
            raise AskFailed(str(event.get("error")))

    async def _answer(self, asked: int, step: Callable[[str], Awaitable[None]]) -> str:
        """Return the answer to the question of this number."""
        answer = failure = ""
        while True:
            event = await self._next()
            kind = event.get("type")
            if kind == "response" and event.get("id") == asked and not event.get("success"):
                raise AskFailed(str(event.get("error")))
            if kind == "assistant_message":
                answer = "".join(block.get("text", "") for block in event["content"] if block.get("type") == "text")
            elif kind == "tool_call":
                await step(f"{event['name']} {json.dumps(event.get('args') or {}, ensure_ascii=False)[:200]}")
            elif kind == "error":
                failure = str(event["message"])
            elif kind == "permission_request":
                answered = {"request": event["request"], "answer": "no", "message": _NOBODY}
                await self._send({"type": "permissions.answer", **answered})
            elif kind == "ext_ui_request":
                await self._send({"type": "ext_ui_response", "request": event["request"], "closed": True})
            elif kind == "done":
                if failure:
                    raise AskFailed(failure)
                stopped = f"\n(zot stopped: {event['reason']})" if event.get("reason") else ""
                return f"{answer}{stopped}" or "(zot gave no answer)"

    async def _abort(self) -> None:
        """Stop the running prompt, and read up to its end; a child that does not stop is ended."""
        with contextlib.suppress(AskFailed), anyio.move_on_after(END_SECONDS):
            await self._send({"type": "abort"})
            while (await self._next()).get("type") != "done":
                pass
            return
        await self.close()

    async def _next(self) -> dict[str, Any]:
        """Return the next object that the child writes. Nothing is lost if this is cancelled."""
        process = self._process
        while not self._events:
            if process is None or process.stdout is None:
                raise AskFailed("zot has ended")
            try:
                lines = list(self._lines.feed(await process.stdout.receive()))
            except (ServerLost, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._process = None
                raise AskFailed("zot has ended; its standard error says why") from None
            for line in lines:
                with contextlib.suppress(ValueError):
                    value = json.loads(line)
                    if isinstance(value, dict):
                        self._events.append(value)
        return self._events.popleft()


def make_server(child: ZotChild) -> Any:
    server = MCPServer("zot", version=__version__)

    @server.tool(description=_ASK)
    async def ask(prompt: str, context: Context, new_conversation: bool = False) -> str:  # noqa: FBT001, FBT002  of the wire
        count = 0

        async def step(line: str) -> None:
            nonlocal count
            count += 1
            await context.report_progress(count, message=line)

        return await child.ask(prompt, step, new=new_conversation)

    return server


def serve(arguments: Sequence[str]) -> int:
    """Serve until standard input ends; the only argument is the command of `zot rpc`, as a JSON list."""
    child = ZotChild(json.loads(arguments[0]))

    async def run() -> None:
        try:
            await make_server(child).run_stdio_async()
        finally:
            await child.close()

    anyio.run(run)
    return 0
