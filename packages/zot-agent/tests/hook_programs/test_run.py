import asyncio
from pathlib import Path

import pytest
from processes import runs
from waiting import PATIENCE, TIME_LIMITS, until

from zot_agent.hook_programs.program import HookProgram, HookProgramLimits
from zot_agent.hook_programs.run import HookExit, HookFailed, HookPlace, run_program


async def run(
    command: str, given: bytes = b"", limits: HookProgramLimits | None = None, seconds: float = PATIENCE
) -> HookExit:
    program = HookProgram("tool_call", command, "f", seconds=seconds)
    place = HookPlace(str(Path.cwd()), {"ZOT_MODEL": "m"}, {"SECRET_KEY"})
    return await run_program(program, given, place, limits or HookProgramLimits())


async def test_a_program_reads_the_frame_and_its_output_and_errors_come_apart() -> None:
    assert await run("cat; echo no >&2; exit 2", b'{"a":1}\n') == HookExit(2, b'{"a":1}\n', "no")


async def test_it_has_the_variables_of_commands_and_knows_its_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "k")
    monkeypatch.setenv("KEPT", "v")
    ended = await run('echo "$ZOT_MODEL $KEPT $ZOT_HOOK [$SECRET_KEY]"')
    assert ended.output == b"m v tool_call []\n"


async def test_at_its_time_limit_all_of_it_is_ended() -> None:
    pid = Path("pid")
    for limit in TIME_LIMITS:
        with pytest.raises(HookFailed, match=f"did not end within {limit:g} s"):
            await run("sleep 600 & echo $! > pid; wait", seconds=limit)
        if pid.exists() and pid.read_text():
            break
    assert not runs(int(pid.read_text()))


async def test_cancelling_ends_it() -> None:
    pid = Path("pid")
    task = asyncio.ensure_future(run("echo $$ > pid; exec sleep 600"))
    await until(lambda: pid.exists() and pid.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not runs(int(pid.read_text()))


async def test_an_output_without_end_is_a_failure_and_its_errors_are_cut() -> None:
    limits = HookProgramLimits(frame_bytes=1000, reason_bytes=10)
    with pytest.raises(HookFailed, match="wrote more than 1000 bytes"):
        await run("head -c 5000 /dev/zero", limits=limits)
    assert (await run("head -c 1000 /dev/zero; printf %0100d 1 >&2", limits=limits)).reason == "0" * 10


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo oops >&2; echo more >&2; exit 1", "ended with exit code 1: oops"),
        ("exit 3", "ended with exit code 3"),
        ("kill -9 $$", "ended with exit code 137"),
        ("no-such-program-here", "ended with exit code 127: .*no-such-program-here.*not found"),
    ],
)
async def test_an_exit_code_without_a_meaning_is_a_failure(command: str, why: str) -> None:
    ended = await run(command)
    with pytest.raises(HookFailed, match=why):
        ended.check()


async def test_a_directory_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(HookFailed, match="could not be started: No such file"):
        await run_program(HookProgram("tool_call", "true", "f"), b"", HookPlace(str(tmp_path / "gone")))
