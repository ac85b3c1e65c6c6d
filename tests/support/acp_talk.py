"""A connection to `zot acp`, as an editor has it: the client side of the protocol's own package, over real pipes."""

import asyncio
import os
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, chdir, contextmanager
from typing import Any, cast

import pytest
from acp import PROTOCOL_VERSION, RequestError, text_block
from acp.client import ClientSideConnection
from acp.schema import RequestPermissionResponse
from command import Zot
from python_forks import zot_python
from waiting import PATIENCE

from zot_agent.acp.process import serve
from zot_agent.cli.args import parse


class Editor:
    """What the agent sees of an editor: it writes down what it is told, and answers questions as `answers` say."""

    def __init__(self) -> None:
        self.updates: list[tuple[str, Any]] = []
        self.asked: list[Any] = []
        self.answers: deque[str] = deque()
        self.more = asyncio.Condition()

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        async with self.more:
            self.updates.append((session_id, update))
            self.more.notify_all()

    async def request_permission(self, options: Any, session_id: str, tool_call: Any, **_: Any) -> Any:
        async with self.more:
            self.asked.append((session_id, tool_call, options))
            self.more.notify_all()
        answer = self.answers.popleft()
        if answer == "wait":
            await asyncio.Event().wait()
        outcome = {"outcome": "selected", "optionId": answer} if answer else {"outcome": "cancelled"}
        return RequestPermissionResponse.model_validate({"outcome": outcome})

    async def until(self, fits: Callable[[Any], bool]) -> Any:
        """The first update that fits, when it has come."""
        async with asyncio.timeout(PATIENCE), self.more:
            await self.more.wait_for(lambda: any(fits(update) for _, update in self.updates))
        return next(update for _, update in self.updates if fits(update))

    def of(self, kind: str, session: str = "") -> list[Any]:
        """The updates of a kind, of one session or of all."""
        return [each for id, each in self.updates if each.session_update == kind and session in ("", id)]

    def said(self, kind: str = "agent_message_chunk", session: str = "") -> str:
        """What was said, as one text."""
        return "".join(each.content.text for each in self.of(kind, session))

    def call(self) -> dict[str, Any]:
        """The only tool call, as all updates have left it."""
        seen: dict[str, Any] = {}
        for _, update in self.updates:
            if update.session_update in ("tool_call", "tool_call_update"):
                seen |= update.model_dump(by_alias=True, exclude_none=True)
        return seen


class Talk:
    """A connection to `zot acp`."""

    def __init__(self, editor: Editor, writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> None:
        self.editor, self.writer = editor, writer
        self.agent: Any = ClientSideConnection(cast(Any, editor), writer, reader, use_unstable_protocol=True)

    async def begin(self, zot: Zot, **more: Any) -> str:
        """Connect and begin a session; its id."""
        await self.agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await self.agent.new_session(cwd=str(zot.cwd), **more)
        return str(session.session_id)

    async def prompt(self, session: str, *blocks: Any) -> str:
        """Send a prompt of texts and other blocks; the stop reason."""
        prompt = [text_block(block) if isinstance(block, str) else block for block in blocks]
        async with asyncio.timeout(PATIENCE):
            return str((await self.agent.prompt(session_id=session, prompt=prompt)).stop_reason)

    async def refusal(self, request: Any) -> tuple[int, str]:
        """The error of a request, which must be one of one line."""
        with pytest.raises(RequestError) as caught:
            await request
        assert "\n" not in str(caught.value)
        return caught.value.code, str(caught.value)


@asynccontextmanager
async def open_talk(zot: Zot, *arguments: str, env: dict[str, str] | None = None) -> AsyncIterator[Talk]:
    """Connect to what serves `zot acp`, in this process: the modules of the protocol take most of a second to import.
    In the end it must leave without a word when the connection is closed."""
    words: list[str] = []
    with variables(zot.env if env is None else env), chdir(zot.cwd), ExitStack() as stack:
        options = parse(arguments, of_command=True).options
        ours, theirs = map(stack.enter_context, socket.socketpair())
        served = asyncio.create_task(
            serve(options, source=theirs.fileno(), target=theirs.fileno(), print_error=words.append)
        )
        reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 24)
        talk = Talk(Editor(), writer, reader)
        try:
            yield talk
            writer.write_eof()
            async with asyncio.timeout(PATIENCE):
                assert (await served, words) == (0, [])
        finally:
            served.cancel()
            await asyncio.gather(served, return_exceptions=True)
            await talk.agent.close()
            writer.close()


@contextmanager
def variables(env: dict[str, str]) -> Iterator[None]:
    """The environment of a process that does not exist."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@asynccontextmanager
async def start_talk(zot: Zot, *arguments: str) -> AsyncIterator[tuple[Talk, asyncio.subprocess.Process]]:
    """Start `zot acp` as a process."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        zot_python(), *zot.command[1:], "acp", *arguments,
        cwd=zot.cwd, env=zot.env, stdin=pipe, stdout=pipe, stderr=pipe, limit=1 << 24,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    talk = Talk(Editor(), process.stdin, process.stdout)
    try:
        yield talk, process
        process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            assert (await process.stderr.read(), await process.wait()) == (b"", 0)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await talk.agent.close()
