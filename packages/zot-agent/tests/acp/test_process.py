"""A whole server on two pipes: questions, failures, and an editor that leaves or stops reading."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from operation_faults import FAULTS, REFUSALS
from waiting import PATIENCE

from zot_agent.acp.process import serve
from zot_agent.host.options import HostOptions
from zot_agent.rpc.limits import DEFAULT_LIMITS, RpcLimits
from zot_core.aio import spawn
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

TOUCH = Turn(calls=[Call("bash", {"command": "touch done"})])


class EditorEnd:
    """The editor's ends of the pipes."""

    def __init__(self, server: "asyncio.Task[int]", errors: list[str], reading: BinaryIO, writing: BinaryIO) -> None:
        self.server, self.errors = server, errors
        self._reading, self._writing = reading, writing
        self._lines = asyncio.StreamReader(limit=1 << 24)
        self._transport: asyncio.ReadTransport | None = None

    def send(self, **message: Any) -> None:
        self._writing.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def next(self) -> dict[str, Any]:
        if self._transport is None:
            protocol = asyncio.StreamReaderProtocol(self._lines)
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.connect_read_pipe(lambda: protocol, self._reading)
        async with asyncio.timeout(PATIENCE):
            return dict(json.loads(await self._lines.readline()))

    def stop_reading(self) -> None:
        """Leave in the pipe what the server writes from now on."""
        assert self._transport is not None
        self._transport.pause_reading()

    async def until(self, **fields: Any) -> dict[str, Any]:
        """The next message with these fields."""
        while not (message := await self.next()).items() >= fields.items():
            pass
        return message

    async def call(self, id: int, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a request."""
        self.send(id=id, method=method, params=params)
        return await self.until(id=id)

    async def begin(self, cwd: Path) -> str:
        """The id of a new session."""
        return str((await self.call(0, "session/new", cwd=str(cwd), mcpServers=[]))["result"]["sessionId"])

    def prompt(self, id: int, session: str) -> None:
        """Send a prompt, without its answer."""
        self.send(
            id=id, method="session/prompt", params={"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]}
        )

    async def question(self) -> Any:
        """The id of the next question for a permission."""
        return (await self.until(method="session/request_permission"))["id"]

    async def leave(self) -> int:
        """Close the pipe to the server; its exit code."""
        self._writing.close()
        return await self.code()

    async def code(self) -> int:
        """The exit code of the server."""
        async with asyncio.timeout(PATIENCE):
            return await self.server

    def close(self) -> None:
        """Stop reading for good."""
        if self._transport is not None:
            self._transport.close()


@asynccontextmanager
async def served(server: ScriptedServer, limits: RpcLimits = DEFAULT_LIMITS, **more: Any) -> AsyncIterator[EditorEnd]:
    """A server for an editor. `more` are options of the host."""
    named = {"provider": "openai", "model": "scripted", "api_key": "k", "base_url": server.base_url("openai-chat")}
    source, into = os.pipe()
    out, target = os.pipe()
    errors: list[str] = []
    serving = serve(HostOptions(**named | more), source=source, target=target, print_error=errors.append, limits=limits)
    with open(out, "rb", 0) as reading, open(into, "wb", 0) as writing:
        editor = EditorEnd(spawn(serving, "server"), errors, reading, writing)
        try:
            yield editor
            if not editor.server.done():
                assert await editor.leave() == 0
        finally:
            editor.server.cancel()
            await asyncio.wait([editor.server])
            editor.close()
            os.close(source)
            os.close(target)


async def test_an_operation_is_refused_with_the_code_that_clients_get(server: ScriptedServer, alone: Path) -> None:
    async with served(server, no_session=True) as editor:
        session = await editor.begin(alone)
        short = [each for each in FAULTS if each[2] != "too_large"]  # a pipe holds no more
        for name, fields, code, words in [*short, *REFUSALS, ("hello", {}, "denied", "only a client of zot rpc")]:
            failed = (await editor.call(1, f"_zot/{name}", sessionId=session, **fields))["error"]
            assert (failed["data"], failed["message"][: len(words)]) == ({"code": code}, words), name
        failed = (await editor.call(2, "_zot/session.tree"))["error"]
        assert (failed["code"], failed["data"]) == (-32002, {"code": "not_found"})
        failed = (await editor.call(3, "_other/x", sessionId=session))["error"]
        assert (failed["code"], failed["message"]) == (-32601, "unknown operation '_other/x'")
        failed = (await editor.call(4, "_zot/get_state", sessionId=session))["error"]
        assert (failed["code"], failed["message"]) == (-32601, "get_state is called control.state now")


async def test_a_run_of_an_operation_that_fails_is_told_to_the_editor(server: ScriptedServer, alone: Path) -> None:
    server.add(Turn(fault=Fault(status=401)))
    async with served(server, no_session=True) as editor:
        session = await editor.begin(alone)
        for name, fields, words in (
            ("prompts.send", {"message": "hi"}, "401"),
            ("control.compact", {}, "nothing to compact"),
        ):
            answer = await editor.call(1, f"_zot/{name}", sessionId=session, **fields)
            assert answer["result"] == {"started": True}
            while words not in str(await editor.until(method="session/update")):
                pass
            assert "error" not in await editor.call(2, "_zot/control.wait_idle", sessionId=session)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"error": {"code": -32603, "message": "no\nwindow"}}, "the user could not be asked: no window"),
        ({"result": {}}, "the user could not be asked: outcome: "),
        ({"result": None}, "the user could not be asked: the answer must be an object"),
        ({"result": {"outcome": {"outcome": "selected", "optionId": 1}}}, "the user could not be asked: outcome"),
        *(
            ({"result": {"outcome": {"outcome": "selected", "optionId": each}}}, "an option that was not offered")
            for each in ("perhaps", "Once", "always")
        ),
    ],
)
async def test_a_call_runs_only_if_the_answer_allows_it(
    server: ScriptedServer, alone: Path, answer: dict[str, Any], why: str
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo x > done"})]), "Well.")  # no rule can allow it always
    async with served(server, permission_mode="ask") as editor:
        editor.prompt(1, await editor.begin(alone))
        editor.send(id=await editor.question(), **answer)
        assert (await editor.until(id=1))["result"]["stopReason"] == "end_turn"
    assert why in json.dumps(server.requests[1].body)
    assert list(alone.iterdir()) == []


async def test_requests_are_answered_while_a_question_is_open(server: ScriptedServer, alone: Path) -> None:
    server.add(TOUCH, "Well.")
    async with served(server, permission_mode="ask") as editor:
        editor.prompt(1, await editor.begin(alone))
        question = await editor.question()
        listed = await editor.call(2, "session/list")
        assert len(listed["result"]["sessions"]) == 1
        editor.send(id=question, result={"outcome": {"outcome": "selected", "optionId": "once"}})
        await editor.until(id=1)
    assert [each.name for each in alone.iterdir()] == ["done"]


async def test_an_editor_that_leaves_during_a_question_has_allowed_nothing(server: ScriptedServer, alone: Path) -> None:
    server.add(TOUCH)
    async with served(server, permission_mode="ask") as editor:
        editor.prompt(1, await editor.begin(alone))
        await editor.question()
        assert await editor.leave() == 0
        assert (await editor.until(id=1))["result"]["stopReason"] == "cancelled"
    assert list(alone.iterdir()) == []


async def test_an_editor_that_stops_reading_is_given_up(server: ScriptedServer, alone: Path) -> None:
    server.add(Turn("x" * 1_000_000, chunk=10_000))
    async with served(server, RpcLimits(stall_seconds=0.2)) as editor:
        editor.prompt(1, await editor.begin(alone))
        await editor.until(method="session/update")
        editor.stop_reading()
        assert await editor.code() == 1
        assert editor.errors == ["cannot write to standard output: the client has read nothing for 0.2 s"]


async def test_a_notification_with_invalid_parameters_has_no_answer(server: ScriptedServer, alone: Path) -> None:
    async with served(server) as editor:
        editor.send(method="session/cancel", params={})
        editor.send(method="session/dance", params={})
        editor.send(id=1, method="session/list")
        assert (await editor.next())["id"] == 1


async def test_a_mistake_of_zot_is_logged_and_the_next_request_is_answered(
    server: ScriptedServer, alone: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(server, model=3) as editor:
        failed = await editor.call(1, "session/new", cwd=str(alone), mcpServers=[])
        assert failed["error"]["code"] == -32603
        assert failed["error"]["message"].startswith("this is a mistake in zot, please report it: ")
        assert "result" in await editor.call(2, "session/list")
    assert [each.getMessage() for each in caplog.records if each.name == "zot_agent.acp"] == [
        "the method session/new failed"
    ]
    assert [each.levelno for each in caplog.records if each.name == "zot_agent.acp"] == [logging.ERROR]
