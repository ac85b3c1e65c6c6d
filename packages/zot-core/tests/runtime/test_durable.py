"""Runs that another process continues: nothing is lost, and nothing is done twice.

A process that was killed leaves a prefix of the rows behind. Each test makes such prefixes of a real session file.
"""

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zot_core.agent import user_message
from zot_core.confirm import PermissionAnswer, PermissionQuestion, Permissions
from zot_core.conversation.driver import Conversation
from zot_core.errors import Refused, SessionError
from zot_core.hooks import Refusal, SessionChange, ToolRequest, TreeMove
from zot_core.runtime.answer import RunFailed
from zot_core.runtime.durable import STOPPED, DurableRun, RunWaits, read_answer
from zot_core.runtime.run_rows import RunRecord, _read, first_run_row, read_run, run_row, tool_begin_row
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Meta
from zot_core.tools.definition.tool import FunctionTool, tool
from zot_provider.errors import ConfigError
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.request import Request
from zot_provider.testing import Call, ScriptedClient, Turn

META = Meta("id", "/p", "m", "v", "2026-11-21T20:29:25.586Z", "0.1.0")
TASK = "Do five things"


class World:
    """Effects in a file, and looks at it."""

    def __init__(self, folder: Path) -> None:
        self.effects = folder / "effects"
        self.looks = 0

    def tools(self) -> list[FunctionTool[Any, Any]]:
        @tool
        def act(number: int) -> str:
            """Do something."""
            with self.effects.open("a") as file:
                file.write(f"{number}\n")
            return f"did {number}"

        @tool(repeatable=True)
        def look() -> str:
            """See what was done."""
            self.looks += 1
            return "seen"

        return [act, look]

    @property
    def done(self) -> list[int]:
        return [int(line) for line in self.effects.read_text().split()] if self.effects.exists() else []


def model(*, parallel: bool = False) -> ScriptedClient:
    """A model that does 1, 2 and 3 in one answer, then 4 and 5 in their own answers; it reads what is there."""
    steps = [[1, 2, 3], [4], [5]]

    def answer(request: Request) -> Turn:
        made = sum(len(message.tool_calls) > 0 for message in request.messages)
        if made >= len(steps):
            return Turn("all done")
        calls = [Call("act", {"number": each}, f"c{each}") for each in steps[made]]
        return Turn(calls=[Call("look", {}, f"l{made}"), *calls])

    return ScriptedClient([answer] * 40)


def runtime(path: Path, world: World, client: ScriptedClient | None = None, **options: Any) -> Runtime:
    return Runtime(
        "m", client=client or model(), session=path, run=TASK, tools=world.tools(), builtin_tools=[], **options
    )


def durable(rt: Runtime) -> DurableRun:
    assert rt.durable is not None
    return rt.durable


async def stop(rt: Runtime) -> None:
    """Stop a runtime, and wait for that, before a call begins."""
    rt.cancel()
    await asyncio.Event().wait()


def results(messages: Iterable[Message]) -> dict[str, str]:
    blocks = [each for message in messages for each in message.content if isinstance(each, ToolResultBlock)]
    found = {
        each.call_id: "".join(part.text for part in each.content if isinstance(part, TextBlock)) for each in blocks
    }
    assert len(found) == len(blocks)
    return found


def kinds(data: bytes) -> list[str]:
    return [json.loads(line)["type"] for line in data.splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_a_run_says_in_its_session_what_it_is_and_when_a_call_begins(path: Path, world: World) -> None:
    async with runtime(path, world, max_steps=9) as rt:
        result = await durable(rt).finish()
    assert (str(result), world.done) == ("all done", [1, 2, 3, 4, 5])
    record = read_run(str(path))
    assert record is not None
    assert (record.task, record.state, record.end, record.limits) == (TASK, "done", "completed", {"max_steps": 9})
    assert (record.pid, record.steps, record.tries) == (os.getpid(), 4, 0)
    begun = [
        row["call_id"] for line in path.read_bytes().splitlines() if (row := json.loads(line))["type"] == "tool_begin"
    ]
    assert begun == ["c1", "c2", "c3", "c4", "c5"]
    assert kinds(path.read_bytes())[:4] == ["meta", "run", "run", "message"]


async def test_a_run_that_is_done_gives_its_result_again_without_the_model(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        await durable(rt).finish()
    size = path.stat().st_size
    async with runtime(path, world, ScriptedClient()) as rt:
        assert str(await durable(rt).finish()) == "all done"
    assert (path.stat().st_size, world.done) == (size, [1, 2, 3, 4, 5])


async def test_a_run_that_ends_after_any_row_continues_with_every_effect_once(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        await durable(rt).finish()
    rows = path.read_bytes().splitlines(keepends=True)
    for number in range(1, len(rows) + 1):
        kept = rows[:number]
        cut = path.with_name(f"cut-{number}.jsonl")
        cut.write_bytes(b"".join(kept))
        there = [json.loads(row) for row in kept]
        ended = {block["call_id"] for row in there if row["type"] in ("message", "tool_result")
                 for block in row["message"]["content"] if block["type"] == "tool_result"}  # fmt: skip
        begun = [row["call_id"] for row in there if row["type"] == "tool_begin"]
        unknown = [id for id in begun if id not in ended]
        assert len(unknown) <= 1
        world.effects.write_text("".join(f"{id[1]}\n" for id in begun))  # each that began may have taken effect
        async with runtime(cut, world) as rt:
            result = await durable(rt).finish()
            found = results(rt.messages)
        assert str(result) == "all done"
        assert world.done == [1, 2, 3, 4, 5], number
        assert {id: text for id, text in found.items() if text.startswith("unknown: ")}.keys() == set(unknown)
        assert all("git status" in found[id] for id in unknown)
        assert cut.read_bytes().startswith(b"".join(kept))
        assert results(load(str(cut)).messages) == found


async def test_a_row_that_is_cut_off_is_as_one_that_was_never_written(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        await durable(rt).finish()
    data = path.read_bytes()
    last = data.rindex(b'{"type":"tool_begin"')
    path.write_bytes(data[: last + 20])
    world.effects.write_text("1\n2\n3\n4\n")
    async with runtime(path, world) as rt:
        assert str(await durable(rt).finish()) == "all done"
    assert world.done == [1, 2, 3, 4, 5]


async def test_no_call_takes_effect_whose_beginning_cannot_be_written(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        run = durable(rt)
        session = rt.session
        assert session is not None
        rt.hooks.tool_run.add(lambda call: session.close() if call.id == "c2" else None)
        with pytest.raises(RunFailed, match="is closed"):
            await run.finish()
    assert world.done == [1]
    async with runtime(path, world) as rt:
        assert str(await durable(rt).finish()) == "all done"
    assert world.done == [1, 2, 3, 4, 5]


async def test_a_run_that_was_stopped_continues_with_a_line_for_the_model(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        run = durable(rt)
        run.stopped_state = "running"
        rt.hooks.tool_run.add(lambda call: stop(rt) if call.id == "c4" else None)
        assert await run.start() == "aborted"
    record = read_run(str(path))
    assert record is not None
    assert (record.state, record.end) == ("running", "aborted")
    client = model()
    async with runtime(path, world, client) as rt:
        await durable(rt).finish()
    assert STOPPED in client.requests[0].messages[-1].text
    assert world.done == [1, 2, 3, 5]  # the model has read that 4 was aborted


async def test_an_answer_that_broke_off_is_not_taken_for_the_last_one(path: Path, world: World) -> None:
    failing = ScriptedClient([Turn("half an ans", error=ConfigError("the model is gone"))])
    async with runtime(path, world, failing) as rt:
        with pytest.raises(RunFailed, match="the model is gone"):
            await durable(rt).finish()
    record = read_run(str(path))
    assert record is not None
    assert (record.state, record.reason) == ("failed", "the model is gone")
    async with runtime(path, world) as rt:
        assert str(await durable(rt).finish()) == "all done"
    assert world.done == [1, 2, 3, 4, 5]


async def test_limits_count_what_earlier_processes_have_used(path: Path, world: World) -> None:
    for steps in (1, 2):
        async with runtime(path, world, max_steps=steps) as rt:
            with pytest.raises(RunFailed, match=rf"max steps \({steps}\) exceeded"):
                await durable(rt).finish()
    record = read_run(str(path))
    assert record is not None
    assert (record.state, record.end, record.steps, world.done) == ("stopped", "max_steps", 2, [1, 2, 3, 4])
    async with runtime(path, world, max_steps=4) as rt:
        assert str(await durable(rt).finish()) == "all done"
        assert str(await rt.ask("and now?")) == "all done"  # has its own limits


def cut_after(path: Path, mark: bytes) -> None:
    """Leave what is in the session up to the first row with this mark."""
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(rows[: next(at for at, row in enumerate(rows) if mark in row) + 1]))


async def test_a_limit_that_is_used_up_stops_a_run_before_the_calls_that_are_left(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        await durable(rt).finish()
    cut_after(path, b'"call_id":"c1"')
    world.effects.write_text("1\n")
    async with runtime(path, world, max_steps=1) as rt:
        with pytest.raises(RunFailed, match=r"max steps \(1\) exceeded"):
            await durable(rt).finish()
    assert world.done == [1]
    async with runtime(path, world) as rt:
        assert str(await durable(rt).finish()) == "all done"
    assert world.done == [1, 2, 3, 4, 5]


async def test_a_run_is_stopped_while_it_does_the_calls_that_are_left(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        await durable(rt).finish()
    cut_after(path, b'"name":"act"')
    async with runtime(path, world) as rt:
        rt.hooks.tool_run.add(lambda call: stop(rt) if call.id == "c2" else None)
        assert await durable(rt).start() == "aborted"
        assert "aborted" in results(rt.messages)["c3"]
    assert (record := read_run(str(path))) is not None
    assert (record.state, record.end) == ("stopped", "aborted")


async def test_a_run_whose_session_cannot_be_written_does_nothing(path: Path, world: World) -> None:
    client = model()
    async with runtime(path, world, client) as rt:
        assert rt.session is not None
        rt.session.close()
        with pytest.raises(RunFailed, match="is closed"):
            await durable(rt).finish()
    assert (client.requests, world.done) == ([], [])


async def test_the_last_call_of_an_answer_that_was_cut_off_does_not_run_later(path: Path, world: World) -> None:
    cut = Turn(calls=[Call("act", {"number": 1}, "c1"), Call("act", {"number": 2}, "c2")], stop="length")
    async with runtime(path, world, ScriptedClient([cut, Turn("so be it")])) as rt:
        await durable(rt).finish()
    rows = path.read_bytes().splitlines(keepends=True)
    end = next(at for at, row in enumerate(rows) if b'"cut"' in row) + 1
    path.write_bytes(b"".join(rows[:end]))
    world.effects.unlink()
    async with runtime(path, world, ScriptedClient([Turn("so be it")])) as rt:
        await durable(rt).finish()
        assert "cut off" in results(rt.messages)["c2"]
    assert world.done == [1]


async def test_a_question_stops_the_run_and_its_answer_continues_it(path: Path, world: World) -> None:
    async def nobody(_: PermissionQuestion) -> PermissionAnswer:
        raise AssertionError

    async def ask_about_two(call: ToolRequest, rt: Runtime) -> Refusal | None:
        question = PermissionQuestion("q", call, "it is the second", ["act"])
        answer = await durable(rt).asking(nobody)(question) if call.id == "c2" else None
        return Refusal(answer.message) if answer is not None and answer.choice == "no" else None

    for choice in ("yes", "no"):
        file = path.with_name(f"{choice}.jsonl")
        world.effects.write_text("")
        async with runtime(file, world) as rt:
            rt.hooks.tool_run.add(lambda call, rt=rt: ask_about_two(call, rt))
            with pytest.raises(RunFailed, match=r"waits for an answer: act \{.*2\} \(it is the second\)") as raised:
                await durable(rt).finish()
            assert raised.value.exit_code == RunWaits.exit_code
        record = read_run(str(file))
        assert record is not None
        assert (record.state, record.question["reason"], world.done) == ("waiting", "it is the second", [1])
        async with runtime(file, world) as rt:
            with pytest.raises(ConfigError, match="yes, always or no, not 'maybe'"):
                durable(rt).answer("maybe")
            durable(rt).answer(choice, "not two")
            with pytest.raises(ConfigError, match="asks nothing; it is running"):
                durable(rt).answer(choice)
        async with runtime(file, world) as rt:
            rt.hooks.tool_run.add(lambda call, rt=rt: ask_about_two(call, rt))
            assert str(await durable(rt).finish()) == "all done"
            assert ("not two" in results(rt.messages)["c2"]) == (choice == "no")
        assert world.done == ([1, 2, 3, 4, 5] if choice == "yes" else [1, 3, 4, 5])


async def test_questions_that_only_this_process_can_use_are_asked_in_it(path: Path, world: World) -> None:
    asked: list[str] = []

    async def person(question: PermissionQuestion) -> PermissionAnswer:
        asked.append(question.id)
        return PermissionAnswer("yes")

    async with runtime(path, world) as rt:
        ask = durable(rt).asking(person)
        call = ToolRequest("c1", "act", {})
        for id, question in {
            "outside": PermissionQuestion("outside", call, "", [], outside=True),
            "agent": PermissionQuestion("agent", call.replace(agent_id="a"), "", []),
            "extension": PermissionQuestion("extension", call.replace(by="x"), "", []),
            "beside": PermissionQuestion("beside", call, "", []),
        }.items():
            assert (await ask(question)).choice == "yes", id
    assert asked == ["outside", "agent", "extension", "beside"]


@pytest.mark.parametrize("value", [None, [], {}, {"choice": "perhaps"}, {"choice": ["yes"]}])
def test_an_answer_that_is_none_is_not_an_answer(value: object) -> None:
    assert read_answer(value) is None
    assert read_answer({"choice": "no", "message": 3}) == PermissionAnswer("no")


async def test_permissions_of_a_conversation_ask_through_the_run(path: Path, world: World) -> None:
    async def nobody(_: PermissionQuestion) -> PermissionAnswer:
        raise AssertionError

    rt = runtime(path, world, ScriptedClient([Turn(calls=[Call("act", {"number": 1}, "c1")])]))
    permissions = Permissions("ask")
    permissions.ask_with(durable(rt).asking(nobody))
    async with Conversation(rt, permissions=permissions) as conversation:
        assert await conversation.resend("", durable(rt).work) == "error"
    record = read_run(str(path))
    assert record is not None
    assert (record.state, record.question["call"]) == ("waiting", 'act {"number": 1}')
    assert world.done == []


async def test_a_session_of_something_else_is_refused_and_released(path: Path, world: World) -> None:
    with pytest.raises(ConfigError, match="a durable run needs a session"):
        Runtime("m", client=model(), run=TASK)
    async with Runtime("m", client=ScriptedClient(["hello"]), session=path) as rt:
        await rt.ask("hi")
    with pytest.raises(ConfigError, match="belongs to a conversation; a run needs its own session"):
        runtime(path, world)
    other = path.with_name("other.jsonl")
    session = SessionFile(str(other), META)
    session.add_row(first_run_row("x", "Another task", "0.1"))
    session.close()
    with pytest.raises(ConfigError, match="belongs to another task: 'Another task'"):
        runtime(other, world)
    session = SessionFile(str(other), META, resume=load(str(other)))
    session.add_row(run_row({"format": 2, "zot": "9.0"}))
    session.close()
    with pytest.raises(ConfigError, match=r"run x was begun by a newer zot \(9.0\); update zot to continue it"):
        Runtime("m", client=model(), session=other, run="")
    SessionFile(str(other), META, resume=load(str(other))).close()


async def test_a_run_stays_in_its_session(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        assert await rt.hooks.session_change.ask(SessionChange("new")) is not None
        with pytest.raises(Refused, match="keeps its place"):
            await rt.hooks.tree_move.apply(TreeMove("a", False, "b", False))


async def test_a_run_that_a_person_has_continued_in_a_conversation_goes_on_from_there(path: Path, world: World) -> None:
    async with runtime(path, world) as rt:
        rt.hooks.tool_run.add(lambda call: stop(rt) if call.id == "c1" else None)
        assert await durable(rt).start() == "aborted"
    async with Runtime("m", client=ScriptedClient(["as you like"]), session=path, builtin_tools=[]) as rt:
        await rt.ask("never mind")
    async with runtime(path, world, ScriptedClient(["then it is done"])) as rt:
        assert str(await durable(rt).finish()) == "then it is done"


def test_tries_count_processes_without_progress(path: Path) -> None:
    session = SessionFile(str(path), META)
    session.add_row(first_run_row("x", TASK, "0.1"))
    for _ in range(3):
        session.add_row(run_row({"pid": 1}))
    tried = read_run(str(path))
    assert tried is not None
    assert (tried.tries, tried.steps) == (3, 0)
    session.append(Message("assistant", [TextBlock("hm")]))
    session.add_row(run_row({"pid": 2}))
    session.close()
    assert (found := read_run(str(path))) is not None
    assert (found.tries, found.steps, found.pid) == (1, 1, 2)
    assert load(str(path)).messages[0].text == "hm"


def test_a_file_without_a_run_has_none_and_one_that_cannot_be_read_is_an_error(path: Path, tmp_path: Path) -> None:
    assert read_run(str(path)) is None
    session = SessionFile(str(path), META)
    session.append(user_message("hi"))
    session.close()
    assert read_run(str(path)) is None
    with pytest.raises(SessionError, match="cannot read session"):
        read_run(str(tmp_path))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)
NAMES = st.sampled_from([*RunRecord.__match_args__, "other"])


@settings(max_examples=50)
@given(st.lists(st.dictionaries(NAMES, JSON, max_size=4) | JSON, max_size=4), JSON)
def test_rows_with_any_values_are_read(changes: list[object], call: object) -> None:
    rows = [json.dumps({"type": "run", "run": each}, separators=(",", ":")) for each in changes]
    rows += [json.dumps({"type": "tool_begin", "answer": call, "call_id": call}, separators=(",", ":"))]
    found = _read([f"{row}\n".encode() for row in rows])
    assert found is None or isinstance(found, RunRecord)


def test_rows_are_read_as_they_were_written() -> None:
    lines = [first_run_row("x", "a\ntask", "0.1", options={"model": "m"}), tool_begin_row("a", "c", "bash")]
    record = _read([f"{line}\n".encode() for line in lines])
    assert record is not None
    assert (record.id, record.task, record.options, record.begun_in, record.begun) == (
        "x", "a\ntask", {"model": "m"}, "a", {"c": 1},
    )  # fmt: skip
