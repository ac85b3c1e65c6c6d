"""Commands in the background: `bash` starts them, `job` looks after them, and they end with the session."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import runs
from waiting import PATIENCE, until

from zot_core.errors import ToolError
from zot_core.events import AgentEvent, JobEnd, JobStart
from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell
from zot_core.result import ToolResult
from zot_core.runtime.runtime import Runtime
from zot_core.testing.world import FakeShell, MemoryFiles, Scripted
from zot_core.tools.background.jobs import Job, Jobs
from zot_core.tools.background.output import JobLimits, JobOutput, OutputLimits
from zot_core.tools.background.report import news_of
from zot_core.tools.bash import bash
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.job import job
from zot_provider.messages import Message
from zot_provider.testing import Call, ScriptedClient, Turn

WAIT = "until [ -e go ]; do sleep 0.02; done"


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("spill")))


@asynccontextmanager
async def jobs_in(folder: Path, **limits: Any) -> AsyncIterator[ToolContext]:
    jobs = Jobs(JobLimits(**limits))
    try:
        yield ToolContext(str(folder), LocalFiles(), LocalShell(), jobs=jobs)
    finally:
        await jobs.close()


async def start(context: ToolContext, command: str, **arguments: object) -> ToolResult:
    return await bash.run({"command": command, "background": True, **arguments}, context)


async def begin(context: ToolContext, command: str) -> Job:
    """Start a job, of whose output the model has read nothing."""
    return await context.jobs.start(context.shell, command, cwd=context.cwd, env={})


async def ask(context: ToolContext, action: str, id: str = "", **arguments: float) -> str:
    return (await job.run({"action": action, "id": id, **arguments}, context)).text


async def test_a_command_in_the_background_gives_its_output_piece_by_piece(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        result = await start(context, f"echo one; {WAIT}; echo two; exit 3")
        assert not result.is_error
        assert result.details == {"job": "1", "state": "running", "exit_code": None}
        assert "[job 1: running for " in result.text
        found = context.jobs.find("1")
        await until(lambda: found.output.total)
        assert "one" in result.text + await ask(context, "output", "1")
        assert "; no new output]" in await ask(context, "output", "1")
        (tmp_path / "go").touch()
        read = await ask(context, "output", "1", wait=30)
        assert read.startswith("two\n\n[job 1: ended with exit code 3 after ")
        assert "job 1: ended with exit code 3" in await ask(context, "list")


async def test_a_command_that_fails_at_once_says_so_at_once(tmp_path: Path) -> None:
    async with jobs_in(tmp_path, start_seconds=30) as context:
        result = await start(context, "echo no >&2; exit 4")
        assert result.is_error
        assert result.text.startswith("no\n\n[job 1: ended with exit code 4 after 0 s: echo no >&2; exit 4]")
        assert context.jobs.news() == []
        gone = context.replace(cwd=str(tmp_path / "gone"))
        assert "not started: " in (await start(gone, "echo x")).text


async def test_stopping_a_job_ends_everything_that_it_started(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        await start(context, "sleep 1000 & echo $! > pid; wait")
        pid = tmp_path / "pid"
        await until(lambda: pid.exists() and pid.read_text().strip())
        assert "[job 1: stopped after " in await ask(context, "stop", "1")
        await until(lambda: not runs(int(pid.read_text())))
        assert "[job 1: stopped after " in await ask(context, "stop", "1")


async def test_stopping_a_job_does_not_show_its_log_which_can_still_be_read(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        log = (await begin(context, "echo a line of the log; sleep 1000")).output
        await until(lambda: log.total)
        stopped = await ask(context, "stop", "1")
        assert "log" not in stopped.replace("echo a line of the log; sleep 1000", "")
        assert stopped.endswith("; 18 bytes of output not read]")
        assert (await ask(context, "output", "1")).startswith("a line of the log\n\n[job 1: stopped after ")
        assert (await ask(context, "stop", "1")).endswith("sleep 1000]")


async def test_of_a_long_output_both_ends_are_shown_and_a_file_has_all(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        output = (await begin(context, "seq 3000; sleep 1000")).output
        await until(lambda: output.total == 13_893)
        text = await ask(context, "output", "1", limit=100)
        assert text.startswith("1\n2\n")
        assert "bytes left out here]\n" in text
        path = text.partition("[the full output: ")[2].partition("]")[0]
        assert Path(path).read_text() == "".join(f"{number}\n" for number in range(1, 3001))


async def test_a_job_has_the_time_limit_of_its_call_and_no_other(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        context.bash_timeout = 0.01
        await start(context, "sleep 1000", timeout=0.2)
        assert "ended at its time limit of 0.2 s after " in await ask(context, "output", "1", wait=30)
        await start(context, WAIT)
        (tmp_path / "go").touch()
        assert "ended with exit code 0" in await ask(context, "output", "2", wait=30)


async def test_jobs_are_limited_and_ended_ones_are_forgotten_in_the_end() -> None:
    shell = FakeShell({"serve": Scripted("up\n", hangs=True), "true": Scripted()})
    context = ToolContext("/proj", MemoryFiles(), shell, jobs=Jobs(JobLimits(running=2, remembered=2)))
    for _ in range(2):
        await start(context, "serve")
    with pytest.raises(ToolError, match="2 jobs run already; stop one of them with the tool `job`"):
        await start(context, "serve")
    await context.jobs.stop(context.jobs.find("1"))
    for _ in range(4):
        await start(context, "true")
    assert [each.id for each in context.jobs.all] == ["2", "4", "5", "6"]
    with pytest.raises(ToolError, match="there is no job '1'; the jobs are: 2, 4, 5, 6"):
        await ask(context, "output", "1")
    with pytest.raises(ToolError, match="`stop` needs the id of a job"):
        await ask(context, "stop")
    await context.jobs.close()
    assert await ask(context, "list") == "no jobs"


async def test_a_wait_for_a_job_can_be_stopped_and_leaves_the_job_alone(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        await start(context, WAIT)
        waiting = asyncio.create_task(ask(context, "output", "1", wait=600))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert context.jobs.find("1").state == "running"


async def test_a_call_that_is_stopped_while_its_job_starts_leaves_no_job_running(tmp_path: Path) -> None:
    async with jobs_in(tmp_path, start_seconds=600) as context:
        starting = asyncio.create_task(start(context, "echo $$ > pid; sleep 1000"))
        pid = tmp_path / "pid"
        await until(lambda: pid.exists() and pid.read_text().strip())
        starting.cancel()
        await asyncio.wait([starting])
        await until(lambda: not context.jobs.running)
        await until(lambda: not runs(int(pid.read_text())))


async def test_a_flood_leaves_the_loop_free_and_little_behind(tmp_path: Path) -> None:
    limits = OutputLimits(head=100, tail=200, file=100_000)
    async with jobs_in(tmp_path, output=limits) as context:
        await start(context, "echo begin; yes flood")
        output = context.jobs.find("1").output
        await until(lambda: output.total > 10_000_000)
        await ask(context, "stop", "1")
        text = await ask(context, "output", "1")
        assert "[job 1: stopped after " in text
        assert len(text) < 1000
        assert os.path.getsize(output.path) == 100_000
        shown = output.since(0)
        assert shown.startswith("begin\nflood\n")
        assert f"bytes are left out; the file has them: {output.path}]" in shown


def test_output_is_kept_from_both_ends() -> None:
    output = JobOutput(OutputLimits(head=4, tail=6, file=10))
    for piece in (b"ab", b"cd"):
        output.feed(piece)
    assert (output.since(0), output.since(2), output.since(4), output.path) == ("abcd", "cd", "", "")
    output.feed(b"ef")
    assert output.since(0) == "abcdef"
    output.feed(b"0123456789")
    assert output.since(12) == "6789"
    assert output.since(0).split("\n")[0] == "abcd"
    assert "6 bytes are left out" in output.since(0)
    assert "4 bytes are left out" in output.since(6)
    assert output.since(0).endswith("\n456789")
    output.close()
    assert Path(output.path).read_bytes() == b"abcdef0123"


@given(st.lists(st.sampled_from([b"ab", b"c\nd\n", b"e\nf", "é".encode(), b"\xff", b"words "])), st.integers(0, 40))
def test_output_that_fits_is_kept_whole_and_any_output_ends_as_it_ended(pieces: list[bytes], offset: int) -> None:
    output = JobOutput(OutputLimits(head=8, tail=8, file=0))
    for piece in pieces:
        output.feed(piece)
    whole = b"".join(pieces)
    shown = output.since(min(offset, len(whole)))
    if len(whole) <= 16:
        assert shown == whole[offset:].decode("utf-8", "replace")
    elif offset == 0:
        assert "bytes are left out" in shown
    assert shown.endswith(whole[max(offset, len(whole) - 8) :].decode("utf-8", "replace")) or len(whole) <= 16
    output.close()


def texts(messages: list[Message]) -> list[tuple[str, str, str]]:
    return [(each.role, each.text, each.hidden) for each in messages if each.role == "user"]


async def test_the_model_learns_of_the_end_of_a_job_with_its_next_request(tmp_path: Path) -> None:
    command = f"{WAIT}; exit 2"
    client = ScriptedClient(
        [Turn(calls=[Call("bash", {"command": command, "background": True})]), "started", "I see.", "Yes."]
    )
    events: list[AgentEvent] = []
    async with Runtime("any", client=client, cwd=tmp_path) as runtime:
        runtime.hooks.event.add(events.append)
        await runtime.ask("serve")
        assert JobStart("1", command) in events
        (tmp_path / "go").touch()
        await until(lambda: JobEnd("1", command, "ended", 2) in events)
        await runtime.ask("and now?")
        (first, second, third) = texts(runtime.messages)
        assert [first[1], second[1]] == ["serve", "and now?"]
        assert third[1].startswith("[in the background, job 1: ended with exit code 2 after ")
        assert third[2].startswith("job 1: ended with exit code 2")
        await runtime.ask("again")
        assert [text for _, text, _ in texts(runtime.messages)][3:] == ["again"]


async def news(context: ToolContext, command: str) -> str:
    """What the model is told of the end of a job that has run this."""
    await context.jobs.wait(await begin(context, command), PATIENCE)
    (ended,) = context.jobs.news()
    return news_of(ended)


async def test_the_news_of_an_end_have_the_last_lines_of_the_output(tmp_path: Path) -> None:
    async with jobs_in(tmp_path) as context:
        silent = await news(context, "true")
        assert silent.endswith("; no new output]")
        short = await news(context, "echo one; echo two")
        assert short.endswith("; its output:]\none\ntwo")
        assert "; no new output]" in await ask(context, "output", "2")
        long = await news(context, "seq 2000; echo the reason")
        assert long.partition(":]\n")[2].startswith("1992\n1993\n")
        assert long.endswith("\n2000\nthe reason\n[8,904 bytes; `job` has all of it]")
        assert (await ask(context, "output", "3")).startswith("1\n2\n")


async def test_jobs_end_with_their_session_and_with_the_runtime(tmp_path: Path) -> None:
    call = Call("bash", {"command": "echo $$ > pid$N; exec sleep 1000", "background": True})
    pids = [tmp_path / f"pid{number}" for number in (1, 2)]
    client = ScriptedClient([Turn(calls=[call]), "one", Turn(calls=[call]), "two"])
    async with Runtime("any", client=client, cwd=tmp_path, env={"N": "1"}) as runtime:
        await runtime.ask("serve")
        await until(lambda: pids[0].exists() and pids[0].read_text().strip())
        runtime.new_session()
        await until(lambda: not runs(int(pids[0].read_text())))
        runtime.agent.context.env["N"] = "2"
        await runtime.ask("serve")
        await until(lambda: pids[1].exists() and pids[1].read_text().strip())
        assert len(texts(runtime.messages)) == 1
    assert not runs(int(pids[1].read_text()))
